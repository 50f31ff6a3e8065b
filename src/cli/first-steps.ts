import { REPLAY } from '../gateway/config/checks.ts'
import type { Config } from '../gateway/config/config.ts'
import { type Env, readVariable } from '../gateway/config/secrets.ts'
import { trimSlashes } from '../text/trim-slashes.ts'

/** A server that a user has just started. */
interface StartedServer {
  readonly url: string
  readonly vendors: readonly string[]
  /** The address of its page; null if it has none. */
  readonly page: string | null
  /** Null if keys are configured. */
  readonly developmentKey: string | null
}

/** The text for a new user: the development key and an example request; else that of a user at a terminal. */
export function firstSteps(server: StartedServer, config: Config, env: Env): string {
  const { page, developmentKey } = server
  if (developmentKey !== null) return toBanner(server, firstPath(config), toShownKey(developmentKey, env))
  // In a pipe, the log of a server with keys has nothing but JSON.
  return page !== null && process.stdout.isTTY ? `\npage for the browser: ${page}\n\n` : ''
}

/** The path of the first mount, without a slash at its end. */
const firstPath = ({ mounts: [first] }: Config): string => trimSlashes(first?.path ?? '')

/** The development key in the first steps. */
interface ShownKey {
  readonly line: string
  /** Follows the address of the page, which takes the key out of it. Browsers do not send this part of an address. */
  readonly fragment: string
  /** A quoted word of a shell. */
  readonly header: string
}

/** A chosen key is a secret of its user, and the output is also the log. */
const toShownKey = (key: string, env: Env): ShownKey =>
  readVariable(env, 'MILLRACE_DEV_KEY') === key
    ? {
        line: 'development key: the value of MILLRACE_DEV_KEY',
        fragment: '',
        header: '"Authorization: Bearer $MILLRACE_DEV_KEY"',
      }
    : {
        fragment: `#key=${key}`,
        line: `development key (valid on this machine until the server stops): ${key}`,
        header: `'Authorization: Bearer ${key}'`,
      }

const toCurlUrl = (url: string): string =>
  url.startsWith('unix:') ? `--unix-socket '${url.slice('unix:'.length)}' http://localhost` : url

const toBanner = (
  { url, page, vendors }: StartedServer,
  path: string,
  { line, fragment, header }: ShownKey,
): string => `
millrace listens on ${url}
${line}
${page === null ? '' : `page for the browser: ${page}${fragment}\n`}
${vendors.includes(REPLAY) ? recordedRequest(toCurlUrl(url) + path, header) : listRequest(toCurlUrl(url) + path, header)}

`

/** Its answer is a recording. */
const recordedRequest = (base: string, header: string): string => `\
curl -N ${base}/responses \\
  -H ${header} \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"replay/hello","input":"Hello!","stream":true}'`

/** The names of its models, for a server with vendors. */
const listRequest = (base: string, header: string): string => `curl ${base}/models -H ${header}`
