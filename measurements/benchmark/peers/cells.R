# A method of kernlab on one split of measurements/benchmark.
#
#   Rscript cells.R METHOD TASK TRAIN.csv TEST.csv SEED
#
# TASK is regression or classification. The files have a header and the target last, a
# class as a number from 0. Prints JSON: seconds, bytes and predictions, which the program
# measures as those of all methods. METHOD is kernlab-rvm, kernlab-gausspr or kernlab-ksvm.
# Debian: r-base-core r-cran-kernlab.
suppressPackageStartupMessages(library(kernlab))
args <- commandArgs(trailingOnly = TRUE)
method <- args[1]
regression <- args[2] == "regression"
set.seed(as.numeric(args[5]) %% 2^31)
read <- function(path) as.matrix(read.csv(path, check.names = FALSE))
train <- read(args[3])
test <- read(args[4])
d <- ncol(train)
y <- unname(train[, d])

# NULL where the system does not tell.
peak <- function() {
  line <- tryCatch(grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE), error = function(e) character())
  if (length(line) == 0) NULL else as.numeric(gsub("[^0-9]", "", line)) * 1024
}
invisible(gc())
try(suppressWarnings(cat("5", file = "/proc/self/clear_refs")), silent = TRUE)
before <- peak()

# Columns that do not vary stay as they are.
fit <- function() {
  centre <- colMeans(train[, -d, drop = FALSE])
  spread <- apply(train[, -d, drop = FALSE], 2, sd)
  spread[!(spread > 0)] <- 1
  x <- scale(train[, -d, drop = FALSE], centre, spread)
  m <- list(centre = centre, spread = spread, mean = 0, sd = 1)
  target <- as.factor(y)
  if (regression) {
    m$mean <- mean(y)
    m$sd <- sd(y)
    target <- (y - m$mean) / m$sd
  }
  m$model <- switch(method,
    "kernlab-rvm" = rvm(x, target),
    "kernlab-gausspr" = gausspr(x, target, scaled = FALSE),
    "kernlab-ksvm" = ksvm(x, target, scaled = FALSE, C = 1, prob.model = !regression))
  m
}
scaled <- function(m) scale(test[, -d, drop = FALSE], m$centre, m$spread)

# On several threads seconds are by the clock.
clock <- as.integer(Sys.getenv("BENCHMARK_THREADS", "1")) > 1
now <- function() if (clock) proc.time()[["elapsed"]] else sum(proc.time()[c("user.self", "sys.self")])
begun <- now()
capture.output(m <- fit()) -> quiet
fit_seconds <- now() - begun
# gausspr's labels end in an error where there are more test rows than training rows: they
# are taken from its probabilities.
labels_of <- function(proba) colnames(proba)[max.col(proba, ties.method = "first")]
begun <- now()
p <- if (method == "kernlab-gausspr" && !regression) {
  labels_of(predict(m$model, scaled(m), type = "probabilities"))
} else {
  predict(m$model, scaled(m))
}
predict_seconds <- now() - begun
most <- peak()

vector <- function(v) paste0("[", paste(sprintf("%.17g", as.numeric(v)), collapse = ","), "]")
rows <- function(v) paste0("[", paste(apply(v, 1, vector), collapse = ","), "]")
out <- c(
  sprintf('"version": "kernlab %s"', packageVersion("kernlab")),
  sprintf('"fit_seconds": %.17g', fit_seconds),
  sprintf('"predict_seconds": %.17g', predict_seconds),
  sprintf('"model_bytes": %d', length(serialize(m, NULL))))
if (!is.null(most)) out <- c(out, sprintf('"memory_before_bytes": %.0f, "memory_peak_bytes": %.0f', before, most))
if (regression) {
  out <- c(out, paste('"values":', vector(p * m$sd + m$mean)))
} else {
  out <- c(out, paste('"labels":', vector(as.character(p))), paste('"classes":', vector(levels(as.factor(y)))))
  # The coupling of ksvm ends a little below 0 now and then.
  proba <- pmax(predict(m$model, scaled(m), type = "probabilities"), 0)
  out <- c(out, paste('"proba":', rows(proba / rowSums(proba))))
}
cat("{", paste(out, collapse = ", "), "}\n")
