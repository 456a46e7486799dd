// SPDX-License-Identifier: GPL-2.0-only
/* Which events libtraceevent may print without leaving their bytes or running wild. */
#include "guard.h"

#include <stdlib.h>
#include <string.h>

/*
 * Theory of operation
 *
 * Formats and records are the guest's words, and libtraceevent believes both:
 * it reads where a format says a field is, repeats as often as a record says,
 * divides by what it finds. So records are printed from a window of zeros far
 * larger than an event (decoder.c), and here is shown, before a record is
 * printed, that no access can leave the window: fields and dynamic arrays lie
 * in its first 256 KiB, and every index and count is bounded. Where the bound
 * of a value depends on the record, the record is asked. What the texts may
 * look like, the parser's own weaknesses in mind, is in guard-text.c.
 */

#define COUNT_MAX 65536u
#define REACH_MAX (COUNT_MAX * sizeof(u64))
#define WIDTH_MAX 4096u
#define DEPTH_MAX 100

static u64 saturating_mul(u64 a, u64 b)
{
	u64 product;

	return __builtin_mul_overflow(a, b, &product) ? U64_MAX : product;
}

static u64 saturating_add(u64 a, u64 b)
{
	u64 sum;

	return __builtin_add_overflow(a, b, &sum) ? U64_MAX : sum;
}

static struct tep_format_field *arg_field(const struct tep_event *event,
					  const struct tep_print_arg *arg)
{
	if (arg->field.field)
		return arg->field.field;
	return tep_find_any_field((struct tep_event *)event, arg->field.name);
}

static u64 field_max(const struct tep_event *event, const struct tep_print_arg *arg,
		     const void *data)
{
	struct tep_format_field *field = arg_field(event, arg);
	unsigned long long value;

	if (!field)
		return 0;
	if (data)
		return tep_read_number_field(field, data, &value) ? U64_MAX : value;
	if (field->flags & TEP_FIELD_IS_SIGNED || field->size > 2)
		return U64_MAX;
	return field->size == 1 ? 0xff : 0xffff;
}

static u64 arg_max(const struct tep_event *event, const struct tep_print_arg *arg,
		   const void *data, int depth);

static u64 op_max(const struct tep_event *event, const struct tep_print_arg *arg,
		  const void *data, int depth)
{
	u64 left, right;

	left = arg_max(event, arg->op.left, data, depth);
	right = arg_max(event, arg->op.right, data, depth);
	switch (arg->op.op[0]) {
	case '*':
		return saturating_mul(left, right);
	case '+':
		return saturating_add(left, right);
	case '&':
		return left < right ? left : right;
	case '/':
	case '%':
		return left;
	case '>':
		return left > 1 ? left : 1;
	case '?':
	case ':':
		return left > right ? left : right;
	default:
		return U64_MAX;
	}
}

/* No value of @arg is above this; U64_MAX when nothing is known. */
static u64 arg_max(const struct tep_event *event, const struct tep_print_arg *arg,
		   const void *data, int depth)
{
	if (!arg || depth > DEPTH_MAX)
		return U64_MAX;
	switch (arg->type) {
	case TEP_PRINT_NULL:
		return 0;
	case TEP_PRINT_ATOM:
		return strtoull(arg->atom.atom, NULL, 0);
	case TEP_PRINT_FIELD:
		return field_max(event, arg, data);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return 0xffff;
	case TEP_PRINT_TYPE:
		/* A cast to a signed type may turn a small value into a huge one. */
		if (arg_max(event, arg->typecast.item, data, depth + 1) > 0x7f)
			return strchr(arg->typecast.type, 'u') ?
			       arg_max(event, arg->typecast.item, data, depth + 1) : U64_MAX;
		return 0x7f;
	case TEP_PRINT_OP:
		return op_max(event, arg, data, depth + 1);
	default:
		return U64_MAX;
	}
}

/* Only constants and plain fields are believed not to be zero. */
static bool arg_is_nonzero(const struct tep_event *event, const struct tep_print_arg *arg,
			   const void *data)
{
	if (!arg)
		return false;
	if (arg->type == TEP_PRINT_ATOM || (arg->type == TEP_PRINT_FIELD && data))
		return arg_max(event, arg, data, 0) != 0;
	return false;
}

static bool arg_is_memory(const struct tep_print_arg *arg)
{
	return arg && (arg->type == TEP_PRINT_FIELD ||
		       (arg->type == TEP_PRINT_DYNAMIC_ARRAY && arg->dynarray.field));
}

static u64 element_size(const struct tep_format_field *field)
{
	return field && field->elementsize > sizeof(u64) ? field->elementsize : sizeof(u64);
}

/* Does array[index] stay in the window, whatever size the library takes elements for? */
static bool index_allowed(const struct tep_event *event, const struct tep_print_arg *arg,
			  const void *data)
{
	const struct tep_print_arg *array = arg->op.left;
	u64 index = arg_max(event, arg->op.right, data, 0);

	while (array->type == TEP_PRINT_TYPE)
		array = array->typecast.item;
	if (array->type == TEP_PRINT_FIELD)
		return saturating_mul(index, element_size(arg_field(event, array))) <= REACH_MAX;
	return index <= REACH_MAX / sizeof(u64);
}

static bool arg_allowed(const struct tep_event *event, const struct tep_print_arg *arg,
			const void *data, int depth);

static bool op_allowed(const struct tep_event *event, const struct tep_print_arg *arg,
		       const void *data, int depth)
{
	const char *op = arg->op.op;

	if (!op || !arg_allowed(event, arg->op.left, data, depth) ||
	    !arg_allowed(event, arg->op.right, data, depth))
		return false;
	if (*op == '[')
		return index_allowed(event, arg, data);
	if (*op == '/' || *op == '%')
		return arg_is_nonzero(event, arg->op.right, data);
	if (*op == '?')
		return arg->op.right->type == TEP_PRINT_OP;
	return true;
}

static bool arg_allowed(const struct tep_event *event, const struct tep_print_arg *arg,
			const void *data, int depth)
{
	if (!arg || depth > DEPTH_MAX)
		return false;
	switch (arg->type) {
	case TEP_PRINT_FLAGS:
		return arg_allowed(event, arg->flags.field, data, depth + 1);
	case TEP_PRINT_SYMBOL:
		return arg_allowed(event, arg->symbol.field, data, depth + 1);
	case TEP_PRINT_TYPE:
		return arg_allowed(event, arg->typecast.item, data, depth + 1);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return arg_is_memory(arg->hex.field) &&
		       arg_max(event, arg->hex.size, data, 0) <= COUNT_MAX;
	case TEP_PRINT_INT_ARRAY:
		return arg_is_memory(arg->int_array.field) &&
		       arg_allowed(event, arg->int_array.el_size, data, depth + 1) &&
		       arg_max(event, arg->int_array.count, data, 0) <= COUNT_MAX;
	case TEP_PRINT_DYNAMIC_ARRAY:
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return arg->dynarray.field;
	case TEP_PRINT_OP:
		return op_allowed(event, arg, data, depth + 1);
	case TEP_PRINT_FUNC:
		for (arg = arg->func.args; arg; arg = arg->next)
			if (!arg_allowed(event, arg, data, depth + 1))
				return false;
		return true;
	default:
		return true;
	}
}

static bool widths_allowed(const struct tep_event *event, const void *data)
{
	const struct tep_print_arg *arg = event->print_fmt.args;
	const char *at = event->print_fmt.format;
	unsigned int stars;
	bool small;

	while (at && (at = strchr(at, '%'))) {
		at = guard_conversion_skip(at, &stars, &small);
		if (!small)
			return false;
		for (; stars; stars--, arg = arg->next)
			if (!arg || arg_max(event, arg, data, 0) > WIDTH_MAX)
				return false;
		if (!*at)
			break;
		if (*at++ != '%' && arg)
			arg = arg->next;
	}
	return true;
}

bool guard_allows(const struct tep_event *event, const void *data)
{
	const struct tep_print_arg *arg;

	for (arg = event->print_fmt.args; arg; arg = arg->next)
		if (!arg_allowed(event, arg, data, 0))
			return false;
	return widths_allowed(event, data);
}
