package main

// The files are in these repositories, each at one commit, so that a file never changes.
const (
	renatopp    = "renatopp/arff-datasets/c59f172882592bb58982cc54d2d3c8a2b57e9b73"
	brownlee    = "jbrownlee/Datasets/d20fcb6402ae34e653d4513b00f39257bb37ed7f"
	rdatasets   = "vincentarelbundock/Rdatasets/1dcc2bf5f955cc1224a3e1307256e1fe86b68dae"
	rohitpaul   = "rohitpaul23/density_based_clustering/9fca3d3f94fd740ed01084ba7e01ee622a53fc3b"
	sapoxixi    = "sapoxixi/dataset/522457fad500db68fdd88911d35b76a24e8ea9f3"
	pi242       = "pi242/GP/a60c0c67e3bf74eca750122eac449612152f5359"
	jraillard   = "jraillard/DrunkStudent_MachineLearning/b073fdb11cb7bfda1274e1dc17497a6cd60115c0"
	kokmo       = "MariosKokmo/yacht_hydrodynamics/95bc1e7bd4a75aa6b288919691d974aacf4462d2"
	moeec       = "XiaojianDing/MOEEC/4761c0a7dc731888bebef2067512e1fb3b604cf5"
	akmand      = "akmand/datasets/887a65c5b48f3b259f39a7471e8da812c160470a"
	heavyapples = "Heavyapples/Classification-of-imbalanced-data-based-on-Extreme-Learning-Machine/99ef35035bad6d4efc082a9e9e62ae560abc6db9"
	sjs108u     = "sjs108u/prediction-for-transfusion-in-R/79ab3a9e16455afe284b1ae2ca9b43a8489fcd4d"
	marron      = "diegomarron/ElasticSwapRandomForest/8bd9d8e64544f8059329ae02ea12703f7fef229a"
	rogerior    = "rogerior/ixio/5529dc301c83dd152ba981c3da6239a42e6b1855"
	tmazza      = "tmazza/random_forests/c539ef9c3ac8a128a599a6f5615bfa8193935d77"
	lasso2      = "cran/lasso2/3def32a876dd567e38bd96a5e7e5d343558d7eba"
	statsmodels = "statsmodels/statsmodels/82c59e378bdfb5ae324006c477954879ad3e24be"
)

// The licences of the sets. UCI states CC BY 4.0 for the sets that it hosts, and most of the repositories state no licence.
const (
	ccBy         = "CC BY 4.0 (UCI)"
	gpl          = "GPL, as the R package that ships it"
	bsd          = "BSD-3, as scikit-learn"
	publicDomain = "public domain"
	unstated     = "none stated"
)

// sets lists the sets of docs/data.md in the same order.
var sets = []set{
	{
		name: "airquality", size: 2802, sha256: "67208ccab786a31a12a2b74d25f25fe77755e8a9d19936265471cfb38fcba4cc",
		origin: "New York air quality 1973, Chambers et al. 1983", licence: gpl,
		sources: []source{{rdatasets, "csv/datasets/airquality.csv", 3315,
			"65d2c4afd976c169af9bb0bd97e9e78e1e8a185f1b52e2e3153e30f90c7fb5f8"}},
		read:  separated(',', true),
		steps: []step{lower, drop("rownames"), gaps("NA"), move("ozone", -1)},
	},
	{
		name: "auto", size: 24805, sha256: "c5980f38a5155d69ceb16fd4fca3e57f6fde720bf1ad452ad83462ecddbcb4cd",
		origin: "UCI Automobile", licence: ccBy,
		sources: []source{{renatopp, "classification/autos.arff", 31012,
			"03778de49e150d3305affb5ac351ec031e85c86ccefcc37dc36f755f856c9216"}},
		read:  arff,
		steps: []step{lower, gaps("?"), move("symboling", 0), digits(10)},
	},
	{
		name: "boston", size: 34699, sha256: "b9f88f3463a208dadd78546f0fb9ddacfa4897b4c92dd1b8269734f000fe377c",
		origin: "Harrison and Rubinfeld 1978, R package MASS", licence: gpl,
		sources: []source{{rdatasets, "csv/MASS/Boston.csv", 36636, "654ae93c04416defb2b3752951a7f4357d5951c84c02371b80b48a4492337f86"}},
		read:    separated(',', true),
		steps:   []step{drop("rownames"), digits(10)},
	},
	{
		name: "breast-prognostic", size: 43289, sha256: "176ea0f56a75e81a53634fd577fb4dc480ecd63caae326c8da66665cd8168d58",
		origin: "UCI Breast Cancer Wisconsin (Prognostic)", licence: ccBy,
		sources: []source{{tmazza, "data/wpbc.data", 44233, "2c5c3e139f1ce4c25c62cd12ac14c0f844fb2b7b5905096eca1c5ff2b46b685c"}},
		read:    separated(',', false),
		steps: []step{
			rename("id,status,time,mean_radius,mean_texture,mean_perimeter,mean_area,mean_smoothness,mean_compactness,mean_concavity,mean_concavepoints,mean_symmetry,mean_fractaldim,se_radius,se_texture,se_perimeter,se_area,se_smoothness,se_compactness,se_concavity,se_concavepoints,se_symmetry,se_fractaldim,worst_radius,worst_texture,worst_perimeter,worst_area,worst_smoothness,worst_compactness,worst_concavity,worst_concavepoints,worst_symmetry,worst_fractaldim,tsize,pnodes"),
			drop("id"),
			gaps("?"),
			digits(10),
			move("time", -1),
		},
	},
	{
		name: "energy", size: 29083, sha256: "c302983736e4fcd5dea54f60dbbf104719486fb209b7fc1f6f41963ac10fb490",
		origin: "UCI Energy efficiency", licence: ccBy,
		sources: []source{{sapoxixi, "ENB2012_data.csv", 44554, "2d09b4dc8fef4c6ea8605260d73f7d389617ad13bf30ad6755a0fcde7bd451c2"}},
		read:    separated(';', true),
		steps: []step{
			rename("relative_compactness,surface_area,wall_area,roof_area,overall_height,orientation,glazing_area,glazing_area_distribution,heating_load,cooling_load"),
			drop("cooling_load"),
			digits(10),
		},
	},
	{
		name: "auto-mpg", size: 10908, sha256: "ff24b94f8bccd3d5bb6e15d28861bd42098dc0c99f127b1a9ec9d0a914122ddf",
		origin: "UCI Auto MPG", licence: ccBy,
		sources: []source{{renatopp, "regression/autompg.arff", 13783, "2fe73949cbb4f60a6932615ea1f3eb166cb8b98200e9dbe515250f20f2fd6713"}},
		read:    arff,
		steps: []step{
			rename("cylinders,displacement,horsepower,weight,acceleration,model,origin,mpg"),
			gaps("?"),
			digits(10),
		},
	},
	{
		name: "prostate", size: 6969, sha256: "4d0b43b8e53f7e23d7493db4ab778f49cd89d7907d5ad456410ef5b7d26121b9",
		origin: "Stamey et al. 1989, R package lasso2", licence: gpl,
		sources: []source{{lasso2, "data/Prostate.rda", 3194, "711cea09ccf087a57d37ec78d751e4876d62426a84c240042f0536ca53935e42"}},
		read:    rda,
		steps:   []step{digits(10)},
	},
	{
		name: "slump", size: 4357, sha256: "5c7176974db044f80fb83d88c43f30c24d5366f2c39fcd27da32ff362238022d",
		origin: "UCI Concrete slump test", licence: ccBy,
		sources: []source{{pi242, "slump_test.data", 4759, "90b2804657b406f86a4cfc8b58675adcd97517e0847283dd1c1bdbe979197641"}},
		read:    separated(',', true),
		steps: []step{
			rename("id,cement,slag,fly_ash,water,superplasticizer,coarse_aggregate,fine_aggregate,slump_cm,flow_cm,compressive_strength_28d"),
			drop("id"),
			digits(10),
		},
	},
	{
		name: "student", size: 41983, sha256: "6feaa3d089fc12732d9b9d04eb999959e96f0b692ae4dda6ab7f0a13e6606cc1",
		origin: "UCI Student performance, mathematics", licence: ccBy,
		sources: []source{{jraillard, "student-mat.csv", 43456, "168a8de794e0b6c6b75bd98d7537f4e6462c198c039279851a2dd0ebdaedf74b"}},
		read:    separated(',', true),
		steps:   []step{lower, drop("id")},
	},
	{
		name: "triazines", size: 47337, sha256: "f32ed4cadf71a219b7595eb8786164d23411a0d4642f2275de7f49d9de391659",
		origin: "King, Hurst and Sternberg 1994, collection of L. Torgo", licence: unstated,
		sources: []source{{renatopp, "regression/triazines.arff", 82250,
			"57b0caaf3435c7fc8f27a3e298e89681bb6ecb654c0530521917952307423ca5"}},
		read:  arff,
		steps: []step{digits(10)},
	},
	{
		name: "yacht", size: 10867, sha256: "a767e2387c0db312c9bfb039bfdef76ac1b22d821f71ea0a4f0a695e67dac0fd",
		origin: "UCI Yacht hydrodynamics", licence: ccBy,
		sources: []source{{kokmo, "yacht_hydrodynamics.data", 11428, "d00d8c519b5f3b55fc4b750d959b4adae7d9185799a1b0e3e01ea14c25d5ccdf"}},
		read:    spaced,
		steps: []step{
			rename("longitudinal_position,prismatic_coefficient,length_displacement_ratio,beam_draught_ratio,length_beam_ratio,froude_number,residuary_resistance"),
			digits(10),
		},
	},
	{
		name: "abalone", size: 191962, sha256: "b36baf97dbcb1ae8d70ae95dd06794ce7878aef96cefc29cd0c8ca0fd9f8aee1",
		origin: "UCI Abalone", licence: ccBy,
		sources: []source{{brownlee, "abalone.csv", 191872, "eb2de13be807e9bb9ec4128b9c89b98ab23d7739121cfd17b7dde69b46ba7bf6"}},
		read:    separated(',', false),
		steps: []step{
			rename("sex,length,diameter,height,whole_weight,shucked_weight,viscera_weight,shell_weight,rings"),
			digits(10),
		},
	},
	{
		name: "australian", size: 30111, sha256: "022d118610976db48cf54a4e0001091b706c5905c80dd46a7e125cc2558376d1",
		origin: "Statlog Australian credit", licence: ccBy,
		sources: []source{{rohitpaul, "australian.data", 28735, "51733b78020e5c8ee692c6c4b7ba7f9258799a43561130951e034d114ccb50aa"}},
		read:    separated(',', false),
		steps: []step{
			rename("a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,class"),
			words("class", "0=neg,1=pos"),
			digits(10),
		},
	},
	{
		name: "breast-cancer", size: 18413, sha256: "5f639cbeef6197da7d4c27246ac036afe5428c3d726990cab9dd60812cb553f3",
		origin: "UCI Breast Cancer Wisconsin (Original)", licence: ccBy,
		sources: []source{{renatopp, "classification/breast.w.arff", 19878,
			"e34b01d1c3213c26d54445278879143d718770aa59f3a363668f45b8fb3b3ed4"}},
		read: arff,
		steps: []step{
			rename("cl_thickness,cell_size,cell_shape,marg_adhesion,epith_c_size,bare_nuclei,bl_cromatin,normal_nucleoli,mitoses,class"),
			gaps("?"),
			full,
		},
	},
	{
		name: "diabetes-pima", size: 24614, sha256: "d579e2243fd8bff59098eafc42ac88c80c1e90785d9f53f9285732c3d3d5e591",
		origin: "Pima Indians Diabetes, NIDDK", licence: unstated,
		sources: []source{{renatopp, "classification/diabetes.arff", 38282,
			"d997e67d1d3768a253160c7eccd9504e1d2755c0a5b6ed79fdaba34220317efd"}},
		read: arff,
		steps: []step{
			rename("pregnant,glucose,pressure,triceps,insulin,mass,pedigree,age,diabetes"),
			words("diabetes", "tested_negative=neg,tested_positive=pos"),
			digits(10),
		},
	},
	{
		name: "fourclass", size: 9502, sha256: "87618c21ab3dcdb93753e4ab09c6652c478b44e5adf69cd37f0d1ed7aa2730d8",
		origin: "Ho and Kleinberg 1996", licence: unstated,
		sources: []source{{rohitpaul, "fourclass.data", 8321, "3521d300256919cd7e2535fd4aad845a3aaa5c853fddefef58ef04b8ca739bcb"}},
		read:    separated(',', false),
		steps:   []step{rename("x1,x2,class"), words("class", "-1=neg,1=pos"), digits(10)},
	},
	{
		name: "german-numer", size: 55586, sha256: "f9018bdb2b69ed60a28918c9ee9cdb71f6214114ced793d4a3da0764d664208a",
		origin: "Statlog German credit, numeric", licence: ccBy,
		sources: []source{{rohitpaul, "german.data", 52793, "245e0e653683f947ed87e9cba959130ee7e764dd3b4bda2840fdc1302c97385c"}},
		read:    separated(',', false),
		steps: []step{
			rename("a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15,a16,a17,a18,a19,a20,a21,a22,a23,a24,class"),
			words("class", "1=good,2=bad"),
			digits(10),
		},
	},
	{
		name: "heart", size: 11442, sha256: "5ce116f5c0484ff6cc4c6107a1f5dfb11f7636b0de59423e7887c24c62455447",
		origin: "Statlog Heart", licence: ccBy,
		sources: []source{{renatopp, "classification/heart.statlog.arff", 13489,
			"1f850f58512d989c5309c197afd576435faef177ae1b53a12437a9eecee058c9"}},
		read:  arff,
		steps: []step{digits(10)},
	},
	{
		name: "ionosphere", size: 76409, sha256: "c8700882ee866adbc5645701bc28b2e94558bd9fdda016e9a57c3dad96302790",
		origin: "UCI Ionosphere", licence: ccBy,
		sources: []source{{renatopp, "classification/ionosphere.arff", 80843,
			"ac7813d87dcbd3ea8ea5addf6204909a74d89c4724d0f6e02c39f3eed13604fe"}},
		read:  arff,
		steps: []step{numbered("v%d", "class"), words("class", "b=bad,g=good"), digits(10)},
	},
	{
		name: "mushrooms", size: 371524, sha256: "bc688a8e068a8594f97637e6f66160a606e03b0943072b0b81f9353da3e908c3",
		origin: "UCI Mushroom", licence: ccBy,
		sources: []source{{renatopp, "classification/mushroom.arff", 759524,
			"b5021e39a8a8a0fbf85b20f08308dffbfbb9bc8e5e70c39b97e5d498896e3a5f"}},
		read: arff,
		steps: []step{
			rename("cap_shape,cap_surface,cap_color,bruises,odor,gill_attachment,gill_spacing,gill_size,gill_color,stalk_shape,stalk_root,stalk_surface_above_ring,stalk_surface_below_ring,stalk_color_above_ring,stalk_color_below_ring,veil_type,veil_color,ring_number,ring_type,spore_print_color,population,habitat,class"),
			gaps("?"),
		},
	},
	{
		name: "vehicle", size: 55430, sha256: "5f2aa687cd5124c14f43f87249d9f46e4e2c1f76d2353979cad3c258d65b4872",
		origin: "Statlog Vehicle silhouettes", licence: ccBy,
		sources: []source{{renatopp, "classification/vehicle.arff", 64896,
			"c815585534f9e8c51c6cbe535770891744f5883081709f3a36a58bd419ce0994"}},
		read: arff,
		steps: []step{
			rename("compactness,circularity,distance_circularity,radius_ratio,pr_axis_aspect_ratio,max_length_aspect_ratio,scatter_ratio,elongatedness,pr_axis_rectangularity,max_length_rectangularity,scaled_variance_major,scaled_variance_minor,scaled_radius_of_gyration,skewness_major,skewness_minor,kurtosis_minor,kurtosis_major,hollows_ratio,class"),
			digits(10),
		},
	},
	{
		name: "banknote", size: 52695, sha256: "bb71393374bf88e00b99d32e934e336709fbe9cdc52964baf1fc68669a4f8a46",
		origin: "UCI Banknote authentication", licence: ccBy,
		sources: []source{{brownlee, "banknote_authentication.csv", 46400,
			"d0539aaed2139ba7a587b3e34fb345ce503ff7d5d33dbf9912d8e195ce425cb9"}},
		read: separated(',', false),
		steps: []step{
			rename("variance,skewness,curtosis,entropy,class"),
			words("class", "0=genuine,1=forged"),
			digits(10),
		},
	},
	{
		name: "liver-disorders", size: 7214, sha256: "d83dca99142f3bf2be98855d2e6d683cd67ccdd4ac08b161318837c889bc3ca9",
		origin: "UCI Liver disorders", licence: ccBy,
		sources: []source{{rohitpaul, "liverdisorder.data", 7297, "a166a3e7a6f4dc41aaaedc59a107e57d8adcaeb8821f0873d756982f1ea74c92"}},
		read:    separated(',', false),
		steps: []step{
			rename("mcv,alkphos,sgpt,sgot,gammagt,drinks,selector"),
			words("selector", "1=s1,2=s2"),
			digits(10),
		},
	},
	{
		name: "sonar", size: 86113, sha256: "7e11c96c5fd7120d4ed0fba1dab3572e6cbcbc4536fb690bd4f275b0c2fb946e",
		origin: "UCI Sonar", licence: ccBy,
		sources: []source{{renatopp, "classification/sonar.arff", 95114,
			"658b3b78cde7662acef1b1f723ce7e8b3a32ec15536cb2b82272f3228cd66071"}},
		read:  arff,
		steps: []step{numbered("v%d", "class"), words("class", "Rock=R,Mine=M"), digits(10)},
	},
	{
		name: "splice", size: 124246, sha256: "b4657b13d6523d9f72f34f89023e0e933e44ade8e3fe4f63ad9d188c26da0b79",
		origin: "UCI Molecular biology, the training set of LIBSVM", licence: ccBy,
		sources: []source{{moeec, "data/splice", 431716, "e847d68c346ca93066ed0e07630aa1984646a898587d68531d3b3bda7c66467e"}},
		read:    spaced,
		steps: []step{
			move("1", -1),
			numbered("p%02d", "class"),
			words("class", "-1=neg,1=pos"),
			otherWords("class", "-1=1,-0.333333=2,0.333333=3,1=4"),
		},
	},
	{
		name: "abalone7", size: 214957, sha256: "c3d7f9f5dc7b62a312c476c9b4174a7856d92ea7dd301fe015eaf4e541f429ef",
		origin: "UCI Abalone", licence: ccBy,
		sources: []source{{brownlee, "abalone.csv", 191872, "eb2de13be807e9bb9ec4128b9c89b98ab23d7739121cfd17b7dde69b46ba7bf6"}},
		read:    separated(',', false),
		steps: []step{
			rename("sex,length,diameter,height,whole_weight,shucked_weight,viscera_weight,shell_weight,class"),
			oneHot("sex:M F I"),
			words("class", "7=pos,*=neg"),
			digits(10),
		},
	},
	{
		name: "arrhythmia", size: 373557, sha256: "9fdce1b232d6869698908d4da7d929bd2e39465b560290490920680058931b4e",
		origin: "UCI Arrhythmia", licence: ccBy,
		sources: []source{{renatopp, "classification/arrhythmia.arff", 419145,
			"cf145317a39d4110dff2060f307de96bec7eb4f42a5c0efe25438682e8a5fcfc"}},
		read:  arff,
		steps: []step{lower, numbered("f%03d_%s", "class"), gaps("?"), words("class", "6=pos,*=neg"), digits(10)},
	},
	{
		name: "car-eval-34", size: 79728, sha256: "6a0b88b5ceee64f8b89b6fefa2a3a968ee5cd1376ca85e0052ebeab3eee65ceb",
		origin: "UCI Car evaluation", licence: ccBy,
		sources: []source{{renatopp, "classification/car.arff", 57301, "361952e8eadd9abebbfeaca6056228f0bdabb71a2e8cfa0b5ed49d12b6b9c6c7"}},
		read:    arff,
		steps: []step{
			oneHot("buying,maint,doors,persons,lug_boot,safety"),
			words("class", "good=pos,vgood=pos,*=neg"),
		},
	},
	{
		name: "car-evaluation", size: 51916, sha256: "0023b86e0dd3502aaa0e4a610ef4d8aebbba7ff40f53fa7c2f0543c68bee5114",
		origin: "UCI Car evaluation", licence: ccBy,
		sources: []source{{renatopp, "classification/car.arff", 57301, "361952e8eadd9abebbfeaca6056228f0bdabb71a2e8cfa0b5ed49d12b6b9c6c7"}},
		read:    arff,
	},
	{
		name: "ecoli", size: 12600, sha256: "1d4fc0d23b3525b7cf2fb5a5075345a3d8a5f9cff32903a3eca274d948e02392",
		origin: "UCI Ecoli", licence: ccBy,
		sources: []source{{renatopp, "classification/ecoli.arff", 16142,
			"1628f2d06962f257949eb04cd0101a1ce8718d35da52122242f1778ffbaecc5f"}},
		read:  arff,
		steps: []step{words("class", "imU=pos,*=neg"), digits(10)},
	},
	{
		name: "libras-move", size: 257235, sha256: "955e0399f291748b73fb18e303b0d2eaedb5d80410d2c8e4a7bb2d92a727123f",
		origin: "UCI Libras movement", licence: ccBy,
		sources: []source{{akmand, "libras.csv", 335853, "e5b683e54e607d8b58fbbb7b1640384231a569c23470704126bd1fd86fa69986"}},
		read:    separated(',', true),
		steps:   []step{numbered("x%02d", "class"), words("class", "1=pos,*=neg"), digits(10)},
	},
	{
		name: "oil-spill", size: 233008, sha256: "350785af83f7193f8006d53880aa1c4285e317f082a07e053e18c849c0b44f32",
		origin: "Kubat, Holte and Matwin 1998", licence: unstated,
		sources: []source{{brownlee, "oil-spill.csv", 230924, "acd090bfa475d6247183c53683a344235136e4e9133d99259ae7fe692870c0f0"}},
		read:    separated(',', false),
		steps:   []step{numbered("f%02d", "class"), words("class", "0=neg,1=pos"), digits(10)},
	},
	{
		name: "sick-euthyroid", size: 310425, sha256: "d06b585949465d91571aa2c502f4f2d72112420c465bb4d6a763002b3d4ccfa3",
		origin: "UCI Thyroid disease, its gaps filled by the source", licence: ccBy,
		sources: []source{{heavyapples, "sick_euthyroid.csv", 557341, "7495eedba2c3c7d6deae54da2d762f899bd09a3ecdfe0809de7f5be3cab0ee87"}},
		read:    separated(',', true),
		steps:   []step{numbered("f%02d", "class"), words("class", "-1=neg,1=pos"), digits(10)},
	},
	{
		name: "solar-flare", size: 95083, sha256: "1b7cf82866824426268934cf9d2647d6b5202653c62a568cb05697e442145a0b",
		origin: "UCI Solar flare, both files", licence: ccBy,
		sources: []source{{renatopp, "classification/solar.flare1.arff", 12277,
			"4e83af470e14e21f2b2e67e57d3a3066c43c5d0c00ab7e338476cbcec1b2fdd0"},
			{renatopp, "classification/solar.flare2.arff", 32354, "5b015dd92c15a034094ebeef8c61d33f48ba781af27b3906b079ccc8bbed23bc"}},
		read: arff,
		steps: []step{
			rename("zurich,largest_spot_size,spot_distribution,activity,evolution,previous_24_hour_flare_activity_code,historically_complex,did_region_become_historically_complex,area,area_of_the_largest_spot,c_class,class,x_class"),
			drop("c_class,x_class"),
			atLeast("class", 1),
			oneHot("zurich,largest_spot_size,spot_distribution,activity,evolution,previous_24_hour_flare_activity_code,historically_complex,did_region_become_historically_complex,area,area_of_the_largest_spot"),
		},
	},
	{
		name: "spectrometer", size: 477623, sha256: "78b31b2f74993c108bb056f4356af4007b2698369c2744d929044b65ec395a6f",
		origin: "UCI Low resolution spectrometer", licence: ccBy,
		sources: []source{{renatopp, "classification/spectrometer.arff", 520216,
			"2657cd836aa5298b0624a803dc9a57f7b169ca5930e52130700b19c605e7c390"}},
		read: arff,
		steps: []step{
			lower,
			drop("lrs_name,id_type,right_ascension,declination,scale_factor,blue_base_1,blue_base_2,red_base_1,red_base_2"),
			move("lrs_class", -1),
			atLeast("lrs_class", 44),
			target("class"),
			digits(10),
		},
	},
	{
		name: "mammography", size: 817012, sha256: "b6e6e7d1f14007c94c7734bc31c81e7ca255334414d26c9391381512df61270b",
		origin: "Woods et al. 1993", licence: unstated,
		sources: []source{{brownlee, "mammography.csv", 827904, "7d3dea3f075f30bbdbb8980e7725684059b4fe3d0f850fadd0f635f6993d8730"}},
		read:    separated(',', false),
		steps:   []step{numbered("f%d", "class"), words("class", "'-1'=neg,'1'=pos"), digits(10)},
	},
	{
		name: "breast-cancer-wdbc", size: 123865, sha256: "518936fa92ca3d8a78c420aee22030c4e519ffcba3be15dd23e83f2fc22e20e5",
		origin: "UCI Breast Cancer Wisconsin (Diagnostic), as shipped with scikit-learn", licence: ccBy,
	},
	{
		name: "credit-g", size: 139016, sha256: "38b6dbf6fb4b0311a3ffc005730f42623128591fb36473ab3c22d270c0467632",
		origin: "Statlog German credit", licence: ccBy,
		sources: []source{{renatopp, "classification/credit.g.arff", 163550,
			"177171ed80cfc816ef10a76813fa8f97695a6f7abab4d8435eb6ce0a65a37501"}},
		read:  arff,
		steps: []step{digits(10)},
	},
	{
		name: "blood-transfusion", size: 11473, sha256: "c2ae64c3933d2221757219012d93cbbb336b4cd04f99322377df637d38242cb8",
		origin: "UCI Blood transfusion service center", licence: ccBy,
		sources: []source{{sjs108u, "transfusion.data", 12812, "117d9cf715ba3671fbb1b2b03875c325449209cbcd0c2f864936ccd2af19cd05"}},
		read:    separated(',', true),
		steps: []step{
			rename("recency_months,frequency_times,monetary_cc,time_months,donated"),
			words("donated", "0=no,1=yes"),
		},
	},
	{
		name: "electricity", size: 3091690, sha256: "8eff92c098957c5a585509dad3ef9c71ce99dc25214329a59c66840386b368f6",
		origin: "Harries 1999, normalised", licence: unstated,
		sources: []source{{marron, "datasets/elecNormNew.arff", 3092013,
			"2d86fbc74c69a5c04bcde0119bce280dd6d8efa0115987edc75b77ccf024d7f2"}},
		read:  arff,
		steps: []step{words("class", "UP=up,DOWN=down"), digits(10)},
	},
	{
		name: "eeg-eye-state", size: 1739505, sha256: "bdef985167cd47a2ba946d80257de64e7ee84c665b124a6849e10ffbdb759b45",
		origin: "UCI EEG eye state", licence: ccBy,
		sources: []source{{rogerior, "EEG Eye State.arff", 1696426, "693c689be416df0b487b45b5b58a44896fbcd0be72b4ef161d5cc34e2c66c928"}},
		read:    arff,
		steps:   []step{lower, words("eyedetection", "0=open,1=closed"), digits(10)},
	},
	{
		name: "kr-vs-kp", size: 246172, sha256: "a3e5eee1290e27fef745dcb1b98c42e300476271b1a352a06961d211588543a5",
		origin: "UCI Chess, king and rook against king and pawn", licence: ccBy,
		sources: []source{{renatopp, "classification/kr.vs.kp.arff", 493338,
			"0788f4d5a19fe4f1e34094c629bb1ede677c826ae1d9b958313a1e2ed3459ffa"}},
		read: arff,
	},
	{
		name: "mauna-loa-co2-monthly", size: 9440, sha256: "32c1bb78a81ee34cfbfc60a5fcc42d38af3069e433a23bfb2a8ab16ae90df09a",
		origin: "Keeling and Whorf, as shipped with statsmodels", licence: publicDomain,
	},
	{
		name: "mauna-loa-co2-weekly", size: 39238, sha256: "91223dea31eab74acfe29541fc3d900bc430f93a8e65a8f98a6d18d8a6eda715",
		origin: "Keeling and Whorf, as shipped with statsmodels", licence: publicDomain,
		sources: []source{{statsmodels, "statsmodels/datasets/co2/co2.csv", 33974,
			"16695fa2786e53414e5a6b54767a3fdf5de99cfbc68617f69d1362d92776a92f"}},
		read:  separated(',', true),
		steps: []step{full, decimalYear("date"), rename("decimal_date,co2"), digits(10)},
	},
	{
		name: "mauna-loa-co2-r", size: 8061, sha256: "6caa4d4e470dd97bc2b64361ef76ce48ec5e2c26793d51b19d949c94c11625aa",
		origin: "Keeling and Whorf, as shipped with R", licence: gpl,
		sources: []source{{rdatasets, "csv/timeSeriesDataSets/co2_ts.csv", 12431,
			"16f9baa6f3986f31d5b4585d14f5479471a719906638626570ea96faab038807"}},
		read:  separated(',', true),
		steps: []step{drop("rownames"), rename("decimal_date,co2"), digits(10)},
	},
	{
		name: "california-housing", size: 1248274, sha256: "dc4dbc1f8eae296c594fd8bd52f6557f62c987bdbcdb295572fb5a2cb8b4b299",
		origin: "Pace and Barry 1997", licence: unstated,
		sources: []source{{renatopp, "regression/cal.housing.arff", 2094550,
			"99ac39a6158b5eddec1a36be650beb5f11ff2e5237e925dfa4cb8d48cc1c7398"}},
		read:  arff,
		steps: []step{california, digits(7)},
	},
	{
		name: "diabetes-progression", size: 18506, sha256: "9193026b7622ff944f0a6855a10107b24caf50dad69787c46e6890e69c27faca",
		origin: "Efron et al. 2004, as shipped with scikit-learn", licence: bsd,
	},
}

// notHad is a set of the papers that this program cannot fetch.
type notHad struct{ name, why string }

const imbalanced = "; the Python package imbalanced-learn has it (fetch_datasets, Zenodo record 61452), not compared with the paper"

var notToBeHad = []notHad{
	{"bio", "320 x 5, of the entropy paper; no public copy was found"},
	{"forest-cover", "581012 x 54, of the extreme entropy machines' paper; UCI has it as Covertype, not compared with the paper"},
	{"isolet", "7797 x 617, of the extreme entropy machines' paper" + imbalanced},
	{"protein-homology", "145751 x 74, of the extreme entropy machines' paper" + imbalanced},
	{"webpages", "34780 x 300, of the extreme entropy machines' paper" + imbalanced},
}
