import { countDifferences, describeDifference, differenceOf } from './body-difference.ts'
import { wirePath } from './exchange-format.ts'
import type { StoredExchange } from './read-exchange.ts'
import { wireOfPath } from './wire-paths.ts'

/** A request that is to be answered by a recording. */
export interface ReplayedRequest {
  readonly method: string
  /** With or without a base path. */
  readonly path: string
  /** The upstream's own name of the model; null if it is not known apart from the body. */
  readonly model: string | null
  /** The value of a JSON body, another body as text; null: no body. */
  readonly body: unknown
  /** Limits the recordings to those of one vendor; null: any. */
  readonly vendor: string | null
}

type Match =
  | {
      readonly ok: true
      readonly exchange: StoredExchange
      /** The first difference from the recorded request; null: they are equal. */
      readonly difference: string | null
    }
  | { readonly ok: false; readonly message: string }

/**
 * `order`: a request whose body no recording has is answered by the one with its path and model that has not been played
 * and has the fewest differences from it, the next one among equals. `exact`: only a recording with an equal body
 * answers.
 */
export type MatchMode = 'order' | 'exact'

export interface ExchangeLibrary {
  find(request: ReplayedRequest): Match
  /** The names of the exchanges that have not been played. */
  unplayed(): readonly string[]
  /** All exchanges count as not played again. */
  reset(): void
}

const isStreamed = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'stream' in body ? body.stream === true : false

/**
 * The path of a recording below its base URL ends the path of a request, wherever the request is sent to. A recording
 * without its request answers on every path that is not one of another wire.
 */
function isPath({ request, settings }: StoredExchange, { method, path }: ReplayedRequest): boolean {
  if (request === null) return settings.wire === null || (wireOfPath(path) ?? settings.wire) === settings.wire
  const [asked = ''] = path.split('?', 1)
  return request.method === method && asked.endsWith(wirePath(request.path, settings.base_url))
}

const isVendor = ({ settings }: StoredExchange, { vendor }: ReplayedRequest): boolean =>
  vendor === null || settings.vendor === '' || settings.vendor === vendor

const isModel = ({ settings, request }: StoredExchange, asked: ReplayedRequest): boolean =>
  (asked.model === null || settings.model === '' || settings.model === asked.model) &&
  (request === null || isStreamed(request.body) === isStreamed(asked.body))

const differenceFrom = ({ request }: StoredExchange, { body }: ReplayedRequest): string | null => {
  const difference = request === null ? null : differenceOf(request.body, body)
  return difference === null ? null : describeDifference(difference)
}

interface Compared {
  readonly exchange: StoredExchange
  /** null: the body is equal. */
  readonly difference: string | null
}

/** Further recordings, and further differences of one, are not counted. */
const MOST_COUNTED = 200

/** The recording with the fewest differences from a request, the first one among equals. */
function nearestOf<One extends { readonly exchange: StoredExchange }>(
  all: readonly One[],
  { body }: ReplayedRequest,
): One | undefined {
  const [first, ...others] = all.slice(0, MOST_COUNTED)
  if (first === undefined || others.length === 0) return first
  const distance = ({ exchange: { request } }: One, most: number): number =>
    request === null ? most : countDifferences(request.body, body, most)
  let nearest = first
  let least = distance(first, MOST_COUNTED)
  for (const one of others) {
    const differences = distance(one, least)
    if (differences < least) [nearest, least] = [one, differences]
  }
  return nearest
}

/** Finds the recording that answers a request. Each is played once, unless an equal request is repeated. */
export function createLibrary(exchanges: readonly StoredExchange[], mode: MatchMode): ExchangeLibrary {
  const played = new Set<StoredExchange>()

  const find = (asked: ReplayedRequest): Match => {
    const onPath = exchanges.filter((one) => isPath(one, asked) && isVendor(one, asked))
    const candidates = onPath.filter((one) => isModel(one, asked))
    const compared = candidates.map((exchange) => ({ exchange, difference: differenceFrom(exchange, asked) }))
    const equal = compared.filter(({ difference }) => difference === null)
    const next = (): Compared | undefined =>
      mode === 'exact'
        ? undefined
        : nearestOf(
            compared.filter(({ exchange }) => !played.has(exchange)),
            asked,
          )
    const found = equal.find(({ exchange }) => !played.has(exchange)) ?? equal.at(-1) ?? next()
    if (found !== undefined) {
      played.add(found.exchange)
      return { ok: true, ...found }
    }
    return { ok: false, message: missMessage(asked, compared, onPath, exchanges) }
  }
  return {
    find,
    unplayed: () => exchanges.filter((one) => !played.has(one)).map(({ name }) => name),
    reset: () => played.clear(),
  }
}

/** One sentence about what is missing, one about the nearest recording: of the same model, else path, else any. */
function missMessage(
  asked: ReplayedRequest,
  compared: readonly Compared[],
  onPath: readonly StoredExchange[],
  all: readonly StoredExchange[],
): string {
  const [path] = asked.path.split('?', 1)
  const what = `No recording answers ${asked.method} ${path}`
  const nearest = nearestOf(compared, asked)
  if (nearest !== undefined) {
    const { exchange, difference } = nearest
    const rest = compared.length === 1 ? '' : ` of ${compared.length} with this path and model`
    return `${what} that is left to play. The nearest is ${exchange.name}${rest}, and the first difference is at ${difference}.`
  }
  const other = nearestOf(
    onPath.map((exchange) => ({ exchange })),
    asked,
  )?.exchange
  if (other !== undefined) {
    const difference = differenceFrom(other, asked)
    const why =
      asked.model !== null && other.settings.model !== asked.model
        ? `its model is "${other.settings.model}", the request’s is "${asked.model}"`
        : `the first difference is at ${difference ?? 'stream'}`
    return `${what}. The nearest is ${other.name}: ${why}.`
  }
  const first = nearestOf(
    all.map((exchange) => ({ exchange })),
    asked,
  )?.exchange
  if (first === undefined) return `${what}: the folder has no recordings.`
  const { request, settings, name } = first
  if (request === null) return `${what}. The nearest is ${name}: it is a recording of ${settings.wire}.`
  return `${what}. The nearest is ${name}: it was ${request.method} ${request.path} of the vendor "${settings.vendor}".`
}
