# kernlab's relevance vector machine on files that a program of ours wrote.
#
#   Rscript kernlab_rvm.R TRAIN.csv TEST.csv SIGMA
#
# The files have a header and the target last. SIGMA is the γ of exp(-γ|x-z|²), which
# kernlab calls sigma. Prints, with a space between: the seconds of the fit, the number
# of relevance vectors, and the squared error over the variance of the test targets.
# Debian: r-base-core r-cran-kernlab libopenblas-dev.
suppressPackageStartupMessages(library(kernlab))
args <- commandArgs(trailingOnly = TRUE)
train <- as.matrix(read.csv(args[1]))
test <- as.matrix(read.csv(args[2]))
sigma <- as.numeric(args[3])
d <- ncol(train)
seconds <- system.time(
  m <- rvm(train[, -d], train[, d], type = "regression", kernel = "rbfdot", kpar = list(sigma = sigma))
)["elapsed"]
p <- predict(m, test[, -d])
y <- test[, d]
cat(seconds, length(RVindex(m)), sum((y - p)^2) / sum((y - mean(y))^2), "\n")
