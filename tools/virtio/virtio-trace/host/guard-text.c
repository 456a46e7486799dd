// SPDX-License-Identifier: GPL-2.0-only
/* Which texts of a guest may be given to libtraceevent's parser. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"

#define NESTING_MAX 200
#define OPERATORS_MAX 2000
#define WIDTH_DIGITS 4

/* Goes behind @word if the text begins with it. */
static bool word_take(const char **at, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*at, word, len))
		return false;
	*at += len;
	return true;
}

static bool number_take(const char **at, unsigned long max)
{
	size_t digits = strspn(*at, "0123456789");
	bool good = digits && digits < 10 && strtoul(*at, NULL, 10) <= max;

	*at += digits;
	return good;
}

static size_t name_len(const char *at)
{
	const char *end = at;

	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	return end - at;
}

/* "unsigned char addr[6]": what a field is, up to the ';'. */
static bool declaration_take(const char **at)
{
	int round = 0, square = 0;

	if ((!isalpha((unsigned char)**at) && **at != '_') || !strncmp(*at, "__attribute__", 13))
		return false;
	for (; **at != ';'; ++*at) {
		if (!isalnum((unsigned char)**at) && (!**at || !strchr("_ *.,+-/<>&()[]", **at)))
			return false;
		round += (**at == '(') - (**at == ')');
		square += (**at == '[') - (**at == ']');
		if (round < 0 || square < 0 || square > 1)
			return false;
	}
	return !round && !square;
}

static bool field_take(const char **at)
{
	if (!word_take(at, "\tfield:") || !declaration_take(at))
		return false;
	if (!word_take(at, ";\toffset:") || !number_take(at, GUARD_FIELD_MAX))
		return false;
	if (!word_take(at, ";\tsize:") || !number_take(at, GUARD_FIELD_MAX))
		return false;
	if (word_take(at, ";\tsigned:") && !number_take(at, 1))
		return false;
	return word_take(at, ";\n");
}

/* Name, number, common and own fields; @at is left in the print format. */
static bool head_take(const char **at)
{
	size_t name;
	int list;

	if (!word_take(at, "name: "))
		return false;
	name = strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
	*at += name;
	if (!name || !word_take(at, "\nID: ") || !number_take(at, GUARD_FIELD_MAX) ||
	    !word_take(at, "\nformat:\n"))
		return false;
	/* The parser looks this one up in one event's format for all events. */
	if (!word_take(at, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;"
			   "\tsigned:0;\n"))
		return false;
	for (list = 0; list < 2; list++)
		while (!word_take(at, "\n"))
			if (!field_take(at))
				return false;
	return word_take(at, "print fmt: \"");
}

/* Where a quoted text ends; NULL when it has no end, or one that can be disputed. */
static const char *quote_skip(const char *text)
{
	const char quote = *text;

	for (text++; *text; text++) {
		if (*text == '\\' && text[1] == '\\' && (text[2] == '"' || text[2] == '\''))
			return NULL;
		if (*text == '\\' && text[1])
			text++;
		else if (*text == quote)
			return text;
	}
	return NULL;
}

/* Is a name declared as a field between @head and @end? */
static bool field_is_declared(const char *head, const char *end, const char *name, size_t len)
{
	const char *at;

	for (at = head + 1; (at = memmem(at, end - at, name, len)); at++)
		if ((at[-1] == ' ' || at[-1] == '*') && (at[len] == ';' || at[len] == '['))
			return true;
	return false;
}

/* Of "REC->name" the parser takes for granted that there is such a field. */
static bool entry_sane(const char *head, const char *end, const char *at)
{
	size_t len;

	if (strncmp(at, "REC", 3) || name_len(at) != 3)
		return true;
	at += 3 + strspn(at + 3, " \t\n");
	if (strncmp(at, "->", 2))
		return false;
	at += 2 + strspn(at + 2, " \t\n");
	len = name_len(at);
	return len && field_is_declared(head, end, at, len);
}

static bool print_format_sane(const char *head, const char *text)
{
	const char *end = text;
	unsigned int nesting = 0, operators = 0;

	for (; *text; text++) {
		if (*text == 'R' && !entry_sane(head, end, text))
			return false;
		if (*text == '"' || *text == '\'')
			text = quote_skip(text);
		else if (strchr("([{", *text))
			nesting++;
		else if (strchr(")]}", *text) && nesting)
			nesting--;
		else if (*text == ',')
			operators = 0;
		else if (strchr("+-*/%<>=!&|^~?:", *text))
			operators++;
		if (!text || nesting > NESTING_MAX || operators > OPERATORS_MAX)
			return false;
	}
	return true;
}

enum guard_format guard_format(const char *text, size_t *head_len)
{
	const char *at = text;

	if (!head_take(&at))
		return GUARD_NOTHING;
	*head_len = at - text;
	/* The quote that begins the format has been taken with the head. */
	return print_format_sane(text, at - 1) ? GUARD_ALL : GUARD_FIELDS;
}

const char *guard_conversion_skip(const char *at, unsigned int *stars, bool *small)
{
	size_t digits;

	*stars = 0;
	*small = true;
	for (at++; *at; at += digits ? digits : 1) {
		digits = strspn(at, "0123456789");
		if (digits > WIDTH_DIGITS)
			*small = false;
		if (*at == '*')
			++*stars;
		else if (!digits && !strchr("-+ #.hlLzt", *at))
			break;
	}
	return at;
}

bool guard_printk_sane(const char *format)
{
	unsigned int stars;
	bool small;

	while ((format = strchr(format, '%'))) {
		format = guard_conversion_skip(format, &stars, &small);
		if (!small || stars)
			return false;
		if (*format)
			format++;
	}
	return true;
}
