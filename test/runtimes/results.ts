import { readFileSync, writeFileSync } from 'node:fs'

/** What `main.ts` has found, in `results.json`, of which the documentation has a table. */

/** The ways to use the package: the names of the files of tests, and of the columns. */
export const DOORS = { embed: 'functions', fetch: '`millrace/fetch`', server: 'server' } as const
export type Door = keyof typeof DOORS

/** The tests of connections of the server, by their title. */
export const CONNECTIONS = {
  tlsUpstream: 'reaches an upstream over TLS whose certificate is trusted, and no other',
  interimAnswers: 'ignores interim answers of an upstream (100, 102, 103)',
  tls: 'listens with TLS',
  newCertificate: 'uses a new certificate after SIGHUP',
  unixSocket: 'listens on a Unix socket, drains, and removes it',
  redis: 'shares rate limits in Redis with another server',
} as const
export type Connection = keyof typeof CONNECTIONS

/** What a runtime cannot do. A test of these succeeds as long as it fails, so that a new version is noticed. */
const LIMITS: Readonly<Record<string, readonly Connection[]>> = { Bun: ['newCertificate'] }

/** `no`: a limit of the runtime. A connection is absent if it was not tested. */
export type ConnectionResults = { readonly [C in Connection]?: 'yes' | 'no' | 'failed' }

export const isLimitOf = (runtime: string, connection: Connection): boolean =>
  LIMITS[runtime]?.includes(connection) === true

/** The tests of one runtime by one way. */
export interface DoorResult {
  readonly passed: number
  /** The titles of failed tests. */
  readonly failed: readonly string[]
}

export interface RuntimeResults {
  /** By the name of a runtime. `version`: null if it was not installed. A door is absent if the runtime has none. */
  readonly runtimes: Readonly<
    Record<
      string,
      { readonly version: string | null; readonly connections?: ConnectionResults } & {
        readonly [D in Door]?: DoorResult
      }
    >
  >
  /** The example `fetch-gateway.ts` as a script of Workers, in KiB: minified, and compressed by gzip. */
  readonly script: { readonly minified: number; readonly compressed: number }
}

const FILE = new URL('results.json', import.meta.url)

export const readResults = (): RuntimeResults => JSON.parse(readFileSync(FILE, 'utf8'))
export const writeResults = (results: RuntimeResults): void =>
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`)
