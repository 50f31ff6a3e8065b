import { createSseReader } from '../framing/sse.ts'
import type { FixtureList, ServerDescription } from '../page-api/description.ts'
import type { ExplainAnswer, ExplainQuery } from '../page-api/explanations.ts'
import { KEPT_REQUESTS, type RequestEntry } from '../page-api/request-entry.ts'
import type { KeyStore } from './key-store.ts'

export type ViewName = 'live' | 'compare' | 'explain' | 'requests'

/**
 * The server that the page came from. Calls wait until the user has entered a key that the server accepts, except those
 * that need none.
 */
export interface PageServer {
  /** The views that it has data for. */
  readonly views: readonly ViewName[]
  readonly keys: Pick<KeyStore, 'current' | 'onChange'>
  /** The models, vendors and mounts of the server. Rejects with an Error if the server cannot be reached. */
  describe(): Promise<ServerDescription>
  /** Sends a request to this server with the user's key. `path`: absolute, such as `/v1/responses`. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** The names of the recorded streams. Needs no key. */
  fixtures(): Promise<readonly string[]>
  /** The bytes of a recorded stream. Needs no key. */
  fixture(name: string): Promise<Uint8Array>
  /** The requests of the server, the newest first: once at the beginning, and again after each change. */
  requests(signal: AbortSignal): AsyncIterable<readonly RequestEntry[]>
  /**
   * Explains a request for wires of vendors: those of the server with a key, else those of the table. A server that
   * other machines can reach requires a key. Rejects with the message of the server, or if it was cancelled.
   */
  explain(query: ExplainQuery, signal: AbortSignal): Promise<ExplainAnswer>
}

export function createPageServer(keys: KeyStore): PageServer {
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const key = await keys.get()
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${key}`)
    const response = await call(path, { ...init, headers })
    if (response.status !== 401) return response
    keys.refuse(key, await messageOf(response))
    return send(path, init)
  }
  /** Sends a request with the key if there is one, and without it otherwise. */
  const sendNow = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = keys.current() === null ? await call(path, init) : null
    return response === null || response.status === 401 ? send(path, init) : response
  }
  const call = (path: string, init: RequestInit): Promise<Response> => {
    // The page sends nothing to any other server: a path such as `//host` would be one.
    const url = new URL(path, location.origin)
    if (url.origin !== location.origin) throw new Error(`${path}: expected a path of this server`)
    return fetch(url, init)
  }
  const read = async (path: string, init: RequestInit = {}, by = send): Promise<Response> => {
    const response = await by(path, init)
    if (!response.ok) throw new Error(await messageOf(response))
    return response
  }
  let description: Promise<ServerDescription> | null = null
  return {
    views: ['live', 'compare', 'explain', 'requests'],
    keys,
    describe() {
      description ??= read('/page/api/describe').then((response) => response.json() as Promise<ServerDescription>)
      // The next call tries again.
      description.catch(() => {
        description = null
      })
      return description
    },
    fetch: send,
    fixtures: async () => {
      const { data } = (await (await read('/page/api/fixtures', {}, sendNow)).json()) as FixtureList
      return data
    },
    fixture: async (name) =>
      new Uint8Array(await (await read(`/page/api/fixtures/${name}`, {}, sendNow)).arrayBuffer()),
    requests: (signal) => readRequests((init) => read('/page/api/requests', init), signal),
    async explain(query, signal) {
      const init = { method: 'POST', body: JSON.stringify(query), headers: JSON_TYPE, signal }
      return (await read('/page/api/explain', init, sendNow)).json() as Promise<ExplainAnswer>
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** The message of an error of the server; its status if the body contains none. */
async function messageOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null)
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: { message?: unknown } }
  return typeof error?.message === 'string' ? error.message : `The server answered with status ${response.status}.`
}

/** Reads the changes of the list, and yields the whole list after each. Ends when the stream of changes does. */
async function* readRequests(
  open: (init: RequestInit) => Promise<Response>,
  signal: AbortSignal,
): AsyncGenerator<readonly RequestEntry[]> {
  const { body } = await open({ headers: { accept: 'text/event-stream' }, signal })
  if (body === null) return
  const frames = createSseReader(LONGEST_CHANGE)
  const entries = new Map<string, RequestEntry>()
  const reader = body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const changes = frames.push(next.value)
    for (const { data } of changes) {
      for (const entry of JSON.parse(data) as readonly RequestEntry[]) entries.set(entry.id, entry)
    }
    if (changes.length > 0) yield newest(entries)
  }
}

/** Characters of one change: all entries with their content. */
const LONGEST_CHANGE = 64 * 1024 * 1024

/** Removes what the server no longer keeps. */
function newest(entries: Map<string, RequestEntry>): readonly RequestEntry[] {
  const sorted = [...entries.values()].sort((one, other) => other.time - one.time)
  for (const { id } of sorted.splice(KEPT_REQUESTS)) entries.delete(id)
  return sorted
}
