# SPDX-License-Identifier: GPL-2.0-only
# How did it go? Counts the results in saved TAP files; what fails and what is skipped is named.

function file_end()
{
	if (file == "")
		return
	if (results != plan)
		failure("planned " plan ", ran " results)
	else if (status != 0 && !file_failed)
		failure("exit status " status)
}

function failure(what)
{
	failed++
	file_failed = 1
	print "FAIL " file ": " what
}

function skipped_too(why)
{
	skipped++
	skips[skipped] = "SKIP " file ": " why
}

FNR == 1 {
	file_end()
	file = FILENAME
	sub(/.*\//, "", file)
	sub(/\.tap$/, "", file)
	results = file_failed = 0
	plan = "nothing"
	status = 0
}

/^1\.\.[0-9]+/ {
	plan = substr($1, 4) + 0
	if (plan == 0 && / # SKIP /)
		skipped_too(substr($0, index($0, "# SKIP ") + 7))
}

/^ok / {
	results++
	if (/ # SKIP /)
		skipped_too(substr($0, index($0, " - ") + 3))
	else
		passed++
}

/^not ok / {
	results++
	failure(substr($0, index($0, " - ") + 3))
}

/^# exit status / { status = $4 }

END {
	file_end()
	for (i = 1; i <= skipped; i++)
		print skips[i]
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0
}
