// SPDX-License-Identifier: GPL-2.0-only
/* How are a guest's ports described to QEMU and to libvirt? */
#include "devices.h"

#include <ctype.h>
#include <string.h>

#include "guest.h"

/*
 * A virtio-serial device has 31 ports, the first one of which is kept for consoles. But
 * its control queue has 32 entries, and QEMU drops what finds no free one: beyond about
 * 16 ports some are never told to be open on the host. The guest's driver then takes
 * nobody to be there, and such a port never carries a byte. Half as many are safe.
 */
#define DEVICE_PORTS 31
#define DEVICE_PORTS_USABLE 15

/* libvirt's controller 0 is there already for whatever else the guest has. */
#define LIBVIRT_CONTROLLER_FIRST 1

static u32 devices_ports(const struct devices *devices)
{
	return 1 + devices->fs + devices->cpus;
}

static bool devices_port_is_fs(const struct devices *devices, u32 port)
{
	return devices->fs && port == 1;
}

static void devices_port_name(const struct devices *devices, u32 port, char *name, size_t size)
{
	if (port == 0)
		snprintf(name, size, GUEST_CTL);
	else if (devices_port_is_fs(devices, port))
		snprintf(name, size, GUEST_FS);
	else
		snprintf(name, size, GUEST_CPU "%u", port - 1 - devices->fs);
}

/* Within an option's value QEMU takes two commas for one. */
static void print_qemu_value(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == ',')
			putc(',', out);
		if (*text == '\'')
			fputs("'\\'", out);
		putc(*text, out);
	}
}

static bool needs_shell_quotes(const char *text)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("/._-+,:=@%", *text))
			return true;
	return false;
}

static void print_qemu_chardev(const struct devices *devices, u32 port, const char *name,
			       FILE *out)
{
	const char *quote = needs_shell_quotes(devices->dir) ? "'" : "";
	bool fs = devices_port_is_fs(devices, port);

	fprintf(out, "-chardev %s%s,id=%s,path=", quote, fs ? "socket" : "pipe", name);
	print_qemu_value(out, devices->dir);
	fprintf(out, "/%s%s%s\n", name, fs ? ".sock,server=on,wait=off" : "", quote);
}

void devices_print_qemu(const struct devices *devices, FILE *out)
{
	u32 port, nr, device;
	char name[32];

	for (port = 0; port < devices_ports(devices); port++) {
		device = port / DEVICE_PORTS_USABLE;
		nr = port % DEVICE_PORTS_USABLE + 1;
		if (nr == 1)
			fprintf(out, "-device virtio-serial-pci,id=virtio-trace%u,max_ports=%u\n",
				device, DEVICE_PORTS);
		devices_port_name(devices, port, name, sizeof(name));
		print_qemu_chardev(devices, port, name, out);
		fprintf(out, "-device virtserialport,bus=virtio-trace%u.0,nr=%u,", device, nr);
		fprintf(out, "chardev=%s,name=%s\n", name, name);
	}
}

static void print_xml_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '\'':
			fputs("&apos;", out);
			break;
		default:
			putc(*text, out);
		}
	}
}

static void print_libvirt_channel(const struct devices *devices, u32 port, FILE *out)
{
	bool fs = devices_port_is_fs(devices, port);
	char name[32];

	devices_port_name(devices, port, name, sizeof(name));
	fprintf(out, "<channel type='%s'>\n  <source %spath='", fs ? "unix" : "pipe",
		fs ? "mode='bind' " : "");
	print_xml_text(out, devices->dir);
	fprintf(out, "/%s%s'/>\n  <target type='virtio' name='%s'/>\n", name, fs ? ".sock" : "",
		name);
	fprintf(out, "  <address type='virtio-serial' controller='%u' bus='0' port='%u'/>\n"
		"</channel>\n", LIBVIRT_CONTROLLER_FIRST + port / DEVICE_PORTS_USABLE,
		port % DEVICE_PORTS_USABLE + 1);
}

void devices_print_libvirt(const struct devices *devices, FILE *out)
{
	u32 port, ports = devices_ports(devices);

	for (port = 0; port < ports; port += DEVICE_PORTS_USABLE)
		fprintf(out, "<controller type='virtio-serial' index='%u' ports='%u'/>\n",
			LIBVIRT_CONTROLLER_FIRST + port / DEVICE_PORTS_USABLE, DEVICE_PORTS);
	for (port = 0; port < ports; port++)
		print_libvirt_channel(devices, port, out);
}
