import { findEngine } from '../../search/registry.ts'
import { didYouMean } from '../../text/did-you-mean.ts'
import { trimSlashes } from '../../text/trim-slashes.ts'
import { findVendor, VENDOR_NAMES } from '../../vendors/registry.ts'
import { formatConfigPath } from './config-problems.ts'
import { type ModelRouting, routingProblems } from './model-rules.ts'

/** The fields of a configuration that are checked against each other. */
interface Checked extends ModelRouting {
  readonly listen: {
    readonly path?: string | undefined
    readonly port?: number | undefined
    readonly tls?: object | undefined
    readonly workers?: number | undefined
  }
  readonly page?: unknown
  readonly resume?: unknown
  readonly connections: { readonly most: number }
  readonly websocket: { readonly connections_per_key: number }
  readonly mounts: readonly { readonly path: string; readonly cors?: CorsEntry | undefined }[]
  readonly keys: readonly { readonly name: string; readonly sha256: string; readonly workspace?: string | undefined }[]
  readonly workspaces: readonly { readonly id: string; readonly default: boolean }[]
  readonly destinations: readonly { readonly id?: string | undefined; readonly workspace?: string | undefined }[]
  readonly vendors: Readonly<
    Record<
      string,
      {
        readonly vendor?: string | undefined
        readonly wire?: string | undefined
        readonly base_url?: string | undefined
        readonly wires?: Readonly<Record<string, unknown>> | undefined
        readonly aws?: AwsEntry | undefined
        readonly pool?: readonly PoolEntry[] | undefined
      }
    >
  >
  readonly search: {
    readonly engine?: string | undefined
    readonly key?: unknown
    readonly base_url?: string | undefined
  }
}

interface CorsEntry {
  readonly origins: readonly string[]
  readonly credentials: boolean
}

interface PoolEntry {
  readonly name?: string | undefined
  readonly enabled?: boolean | undefined
  readonly base_url?: string | undefined
  readonly aws?: AwsEntry | undefined
}

interface AwsEntry {
  readonly access_key_id?: unknown
  readonly secret_access_key?: unknown
  readonly session_token?: unknown
}

export type ConfigPath = (string | number)[]
type Problem = readonly [path: ConfigPath, message: string]

/** The vendor of models that are answered from recordings. */
export const REPLAY = 'replay'

/** `own`: the names of vendors of the program, which have no entry. */
export function checkConfig(
  config: Checked,
  context: { addIssue(issue: { code: 'custom'; path: ConfigPath; message: string }): void },
  own: readonly string[] = [],
): void {
  for (const [path, message] of [
    ...twice(config),
    ...listenProblems(config),
    ...workerProblems(config),
    ...corsProblems(config),
    ...workspaceProblems(config),
    ...vendorProblems(config),
    ...modelProblems(config, own),
    ...searchProblems(config),
  ]) {
    context.addIssue({ code: 'custom', path, message })
  }
}

function* twice({ mounts, keys, workspaces, destinations }: Checked): Iterable<Problem> {
  yield* repeated(
    ['mounts'],
    'path',
    mounts.map(({ path }) => trimSlashes(path)),
  )
  yield* repeated(
    ['keys'],
    'name',
    keys.map(({ name }) => name),
  )
  yield* repeated(
    ['keys'],
    'sha256',
    keys.map(({ sha256 }) => sha256.toLowerCase()),
  )
  yield* repeated(
    ['workspaces'],
    'id',
    workspaces.map(({ id }) => id),
  )
  yield* repeated(
    ['destinations'],
    'id',
    destinations.map(({ id }, index) => id?.toLowerCase() ?? `the default of ${index}`),
  )
  const defaultWorkspaces = workspaces.filter((workspace) => workspace.default)
  if (defaultWorkspaces.length > 1)
    yield [['workspaces'], `expected at most one default workspace, got ${defaultWorkspaces.length}`]
}

function* repeated(list: ConfigPath, field: string, values: readonly string[]): Iterable<Problem> {
  for (const [index, value] of values.entries()) {
    const first = values.indexOf(value)
    if (first !== index)
      yield [
        [...list, index, field],
        `expected a unique value, got the value of ${formatConfigPath([...list, first, field])}`,
      ]
  }
}

function* listenProblems({ listen: { path, port, tls } }: Checked): Iterable<Problem> {
  if (path === undefined) return
  if (port !== undefined) yield [['listen', 'port'], 'expected either path or port. Remove one of them']
  if (tls !== undefined) yield [['listen', 'tls'], 'expected only with a port: a socket of the file system has no TLS']
}

/** Problems of a server with several workers. */
export function* workerProblems({
  listen: { workers = 1 },
  page = false,
  resume,
  connections,
  websocket,
}: Pick<Checked, 'listen' | 'page' | 'resume' | 'connections' | 'websocket'>): Iterable<Problem> {
  if (workers === 1) return
  if (resume !== undefined)
    yield [
      ['resume'],
      'expected only with one worker (listen.workers): a client cannot choose the worker that has its stream',
    ]
  if (page !== false)
    yield [['page'], 'expected false with listen.workers above 1: each worker would show only its own requests']
  if (connections.most < workers) yield [['connections', 'most'], tooFew(workers)]
  if (websocket.connections_per_key < workers) yield [['websocket', 'connections_per_key'], tooFew(workers)]
}

const tooFew = (workers: number): string => `expected at least ${workers}, one for each worker (listen.workers)`

function* corsProblems({ mounts }: Checked): Iterable<Problem> {
  for (const [index, { cors }] of mounts.entries()) {
    if (cors?.credentials === true && cors.origins.includes('*'))
      yield [
        ['mounts', index, 'cors', 'origins'],
        'expected named origins, because credentials are allowed. Remove "*"',
      ]
  }
}

function* workspaceProblems({ keys, workspaces, destinations }: Checked): Iterable<Problem> {
  for (const [list, entries] of Object.entries({ keys, destinations })) {
    for (const [index, { workspace }] of entries.entries()) {
      const known = workspace === undefined || workspaces.some(({ id }) => id === workspace)
      if (!known) yield [[list, index, 'workspace'], 'expected the id of a workspace']
    }
  }
}

function* vendorProblems({ vendors }: Checked): Iterable<Problem> {
  for (const [name, entry] of Object.entries(vendors)) {
    const row = entry.vendor === undefined ? findVendor(name) : findVendor(entry.vendor)
    if (name === REPLAY) yield [['vendors', name], 'the name is reserved for recordings. Choose another name']
    else if (entry.vendor !== undefined && row === undefined) {
      yield [
        ['vendors', name, 'vendor'],
        `expected the name of a known vendor.${didYouMean(entry.vendor, VENDOR_NAMES)}`,
      ]
    } else {
      if ((entry.wire ?? row?.wire) === undefined) {
        yield [
          ['vendors', name, 'wire'],
          `expected a wire, because the vendor is not known.${didYouMean(name, VENDOR_NAMES)}`,
        ]
      }
      const own = entry.wire ?? row?.wire
      if (own !== undefined && entry.wires?.[own] !== undefined) {
        yield [['vendors', name, 'wires', own], 'expected another wire than the vendor’s. Set base_url for this one']
      }
      const address = entry.base_url ?? row?.baseUrl ?? null
      if (address === null && entry.pool === undefined)
        yield [['vendors', name, 'base_url'], 'expected the base URL of the upstream']
      if (entry.aws !== undefined) yield* awsProblems(['vendors', name], entry.aws, row?.awsService !== undefined)
      for (const [index, member] of (entry.pool ?? []).entries()) {
        const path = ['vendors', name, 'pool', index]
        if ((member.base_url ?? address) === null)
          yield [[...path, 'base_url'], 'expected the base URL of the upstream, here or for the vendor']
        if (member.aws !== undefined)
          yield* awsProblems(path, { ...entry.aws, ...member.aws }, row?.awsService !== undefined)
      }
      if (entry.pool?.every(({ enabled }) => enabled === false) === true)
        yield [['vendors', name, 'pool'], 'expected a member that is enabled']
      // A member without a name has that of its place.
      yield* repeated(
        ['vendors', name, 'pool'],
        'name',
        (entry.pool ?? []).map((member, index) => member.name ?? String(index)),
      )
    }
  }
}

/** A rule after one with the same pattern never applies. */
function* modelProblems({ models, default_vendor, vendors }: Checked, own: readonly string[]): Iterable<Problem> {
  const names = [...Object.keys(vendors), ...own, ...VENDOR_NAMES, REPLAY]
  yield* repeated(
    ['models'],
    'match',
    models.map(({ match }) => match),
  )
  yield* routingProblems({ models, default_vendor }, (vendor) =>
    names.includes(vendor) ? null : `expected a vendor’s name on this server.${didYouMean(vendor, names)}`,
  )
}

function* awsProblems(path: ConfigPath, aws: AwsEntry, isAws: boolean): Iterable<Problem> {
  const { access_key_id: id, secret_access_key: key, session_token: token } = aws
  if (!isAws) yield [[...path, 'aws'], 'expected only for a vendor in AWS. Remove it, or set vendor']
  if ((id === undefined) !== (key === undefined) || (token !== undefined && id === undefined)) {
    yield [[...path, 'aws'], 'expected access_key_id and secret_access_key together']
  }
}

function* searchProblems({ search }: Checked): Iterable<Problem> {
  const { engine, key, base_url } = search
  if (engine === undefined) {
    if (key !== undefined) yield [['search', 'key'], 'expected together with search.engine']
    if (base_url !== undefined) yield [['search', 'base_url'], 'expected together with search.engine']
  } else if (base_url === undefined && findEngine(engine)?.baseUrl === null) {
    yield [['search', 'base_url'], `expected the base URL of ${engine}, which has no public address`]
  }
}
