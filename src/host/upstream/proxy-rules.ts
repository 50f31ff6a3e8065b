import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { Env } from '../../gateway/config/secrets.ts'

/** An HTTP proxy between the server and its upstreams. */
export interface HttpProxy {
  /** Scheme, host and port, without user name and password. */
  readonly origin: string
  /** The value of `Proxy-Authorization`; null if the proxy's URL has no user name. */
  readonly authorization: string | null
}

export interface ProxyRules {
  /** For upstreams with the scheme `https`, and with `http`; null: they are reached directly. */
  readonly https: HttpProxy | null
  readonly http: HttpProxy | null
  /** `host`: as in a URL, IPv6 addresses in brackets. */
  proxyFor(protocol: string, host: string, port: number): HttpProxy | null
}

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, of which a lower-case name comes first, as in curl.
 * Null if no proxy is set. Throws an Error that names the variable with an invalid value, but not the value, which may
 * contain a password.
 */
export function readProxies(env: Env): ProxyRules | null {
  const https = readProxy(env, ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'])
  const http = readProxy(env, ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'])
  if (https === null && http === null) return null
  const isExcepted = toExceptions(env.no_proxy ?? env.NO_PROXY ?? '')
  return {
    https,
    http,
    proxyFor: (protocol, host, port) => (isExcepted(host, port) ? null : protocol === 'https:' ? https : http),
  }
}

function readProxy(env: Env, names: readonly string[]): HttpProxy | null {
  const name = names.find((one) => env[one] !== undefined)
  const value = name === undefined ? '' : (env[name] ?? '').trim()
  if (name === undefined || value === '') return null
  const text = value.includes('://') ? value : `http://${value}`
  if (!URL.canParse(text) || !/^https?:\/\/[^/]/i.test(text))
    throw new Error(`${name}: expected the URL of an http or https proxy, such as http://proxy.example:3128`)
  const { origin, username, password } = new URL(text)
  return { origin, authorization: username === '' ? null : toBasic(name, username, password) }
}

function toBasic(name: string, username: string, password: string): string {
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return `Basic ${Buffer.from(credentials).toString('base64')}`
  } catch {
    throw new Error(`${name}: expected a user name and a password in percent-encoding`)
  }
}

type IsExcepted = (host: string, port: number) => boolean

/**
 * Loopback never has a proxy. Entries are separated by commas or white space: `*`, a name with all names below it (also
 * with a leading `.` or `*.`), an address, a subnet as `10.0.0.0/8`. Names and addresses may have a port.
 */
function toExceptions(list: string): IsExcepted {
  const entries = [LOOPBACK, ...list.split(/[\s,]+/).filter((entry) => entry !== '')].map(toException)
  return (host, port) => entries.some((isExcepted) => isExcepted(host, port))
}

const LOOPBACK = 'localhost'

function toException(entry: string): IsExcepted {
  if (entry === '*') return () => true
  const { host, port } = splitPort(entry.toLowerCase())
  const isHost = toHostMatch(host)
  return (own, ownPort) => (port === null || port === ownPort) && isHost(withoutBrackets(own.toLowerCase()))
}

function splitPort(entry: string): { readonly host: string; readonly port: number | null } {
  const [, host, port] = /^([^:]+|\[[^\]]+\]):(\d+)$/.exec(entry) ?? []
  return host === undefined
    ? { host: withoutBrackets(entry), port: null }
    : { host: withoutBrackets(host), port: Number(port) }
}

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '')

function toHostMatch(host: string): (own: string) => boolean {
  const addresses = host === LOOPBACK ? loopback() : toAddresses(host)
  const name = host.replace(/^\*?\./, '')
  return (own) => {
    if (isIPv4(own)) return addresses?.check(own, 'ipv4') ?? false
    if (isIPv6(own)) return addresses?.check(own, 'ipv6') ?? false
    return own === name || own.endsWith(`.${name}`)
  }
}

function loopback(): BlockList {
  const list = new BlockList()
  list.addSubnet('127.0.0.0', 8, 'ipv4')
  list.addAddress('::1', 'ipv6')
  return list
}

/** The addresses of an entry; null for a name. */
function toAddresses(entry: string): BlockList | null {
  const [address = '', bits] = entry.split('/')
  const type = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : null
  if (type === null) return null
  const most = type === 'ipv4' ? 32 : 128
  const prefix = bits === undefined ? most : Number(bits)
  const list = new BlockList()
  if (Number.isInteger(prefix) && prefix >= 0 && prefix <= most) list.addSubnet(address, prefix, type)
  return list
}
