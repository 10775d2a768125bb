# Writes tables with columns of names as CSV files, the target last: Rscript tables.R DIR. Needs lme4, mlmRev, plm and carData.
suppressMessages({library(lme4); library(mlmRev); library(plm); library(carData)})
dir <- commandArgs(TRUE)[1]
take <- function(name, package) { data(list = name, package = package, envir = environment()); as.data.frame(get(name)) }
# The columns, of which these are names; words elsewhere become their number. Rows with gaps are left out.
save <- function(name, x, columns, names, target, class = FALSE) {
  x <- as.data.frame(x)[, c(columns, target)]
  for (n in names) x[[n]] <- paste0("k", as.character(x[[n]]))
  for (n in setdiff(columns, names)) if (!is.numeric(x[[n]])) x[[n]] <- as.integer(factor(x[[n]]))
  if (class) x[[target]] <- paste0("k", as.character(x[[target]]))
  write.csv(x[complete.cases(x), ], file.path(dir, paste0(name, ".csv")), row.names = FALSE)
}
save("hsb82", Hsb82, c("school", "minrty", "sx", "ses"), "school", "mAch")
save("egsingle", egsingle, c("schoolid", "childid", "year", "grade", "retained", "female", "black", "hispanic", "size"),
     c("schoolid", "childid"), "math")
save("males", take("Males", "plm"), c("nr", "year", "school", "exper", "union", "ethn", "married", "health", "industry", "occupation",
     "residence"), c("nr", "industry", "occupation"), "wage")
save("produc", transform(take("Produc", "plm"), gsp = log(gsp)), c("state", "year", "region", "unemp", "hwy"), c("state", "region"), "gsp")
save("sumhes", transform(take("SumHes", "plm"), gdp = log(gdp)), c("country", "year", "opec", "com", "pop", "sr"), "country", "gdp")
hedonic <- take("Hedonic", "plm")
save("hedonic", hedonic, setdiff(colnames(hedonic), "mv"), "townid", "mv")
save("insteval", InstEval, c("s", "d", "studage", "lectage", "service", "dept"), c("s", "d", "dept"), "y")
save("verbagg", VerbAgg, c("Anger", "Gender", "item", "id"), c("item", "id"), "r2", TRUE)
save("contraception", Contraception, c("district", "livch", "age", "urban"), c("district", "livch"), "use", TRUE)
save("scotssec", ScotsSec, c("verbal", "primary", "sex", "social", "second"), c("primary", "second"), "attain")
save("exam", Exam, c("school", "schgend", "schavg", "vr", "intake", "standLRT", "sex", "type"), "school", "normexam")
save("parity", take("Parity", "plm"), c("country", "time", "lp", "is", "il"), "country", "ls")
save("ricefarms", transform(take("RiceFarms", "plm"), goutput = log(goutput)), c("id", "size", "status", "varieties", "bimas", "seed", "urea",
     "phosphate", "pesticide", "hiredlabor", "famlabor", "wage", "price", "region"), c("id", "region"), "goutput")
save("crime", take("Crime", "plm"), c("county", "year", "prbarr", "prbconv", "prbpris", "avgsen", "polpc", "density", "taxpc", "region",
     "smsa", "pctmin", "pctymle"), c("county", "region"), "lcrmrte")
save("chem97", Chem97, c("lea", "school", "gender", "age", "gcsescore"), c("lea", "school"), "score")
save("star", star, c("sch", "gr", "cltype", "hdeg", "exp", "ses", "sx", "eth"), c("sch", "hdeg", "cltype"), "read")
save("guimmun", guImmun, c("mom", "comm", "kid2p", "mom25p", "ord", "ethn", "momEd", "husEd", "momWork", "rural", "pcInd81"),
     c("mom", "comm", "ethn"), "immun", TRUE)
save("greene", take("Greene", "carData"), c("judge", "nation", "rater", "language", "location", "success"),
     c("judge", "nation", "location"), "decision", TRUE)
