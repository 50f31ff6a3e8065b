import * as z from 'zod'

/** Whether a header `Origin` can have this value, in any case of letters. Other schemes belong to extensions. */
const isOrigin = (value: string): boolean =>
  value === '*' ||
  value === 'null' ||
  (/^https?:/i.test(value)
    ? URL.canParse(value) && new URL(value).origin === value.toLowerCase()
    : /^[a-z][a-z\d+.-]*:\/\/[^\s/?#]+$/i.test(value))

const origin = z.string().refine(isOrigin, 'expected an origin such as https://app.example, without a path, or *')

/** More processes than the cores of any machine that they would share. */
export const MOST_WORKERS = 256

export const listen = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.number().int().min(0).max(65_535).optional(),
  path: z.string().min(1).optional(),
  mode: z
    .string()
    .regex(/^0?[0-7]{3}$/, 'expected permissions in octal digits, such as "0660"')
    .default('0660'),
  tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).optional(),
  hosts: z
    .array(
      z
        .string()
        .regex(/^(?:[^\s/:@?#[\]]+|\[[\da-fA-F:.]+\])$/, 'expected a host name without scheme, port and path, or *'),
    )
    .default([]),
  origins: z.array(origin).default([]),
  workers: z.number().int().min(1).max(MOST_WORKERS).default(1),
})

export const cors = z.strictObject({
  origins: z.array(origin).min(1),
  credentials: z.boolean().default(false),
  max_age_seconds: z.number().int().min(0).max(86_400).default(7200),
})

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i

/** Whether a name or address always refers to the machine itself. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

/** The parts of `listen` that decide who reaches a server. */
interface ReachedAddress {
  readonly path?: string | undefined
  readonly host: string
  readonly hosts: readonly string[]
}

/**
 * Whether only this machine reaches a server: it listens on loopback, and no further hosts are configured, which a proxy
 * on the same machine would need.
 */
export const isLocal = ({ path, host, hosts }: ReachedAddress): boolean =>
  path === undefined && isLoopback(host) && hosts.length === 0
