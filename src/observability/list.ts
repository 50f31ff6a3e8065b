import type { JsonObject } from '../protocol/json.ts'
import type { Destination } from './destination.ts'
import { viewDestination } from './mask.ts'

interface ListQuery {
  readonly offset: number
  readonly limit: number
  /** A UUID in lower case; null for the caller's default workspace. */
  readonly workspaceId: string | null
}

type ParsedQuery = { readonly ok: true; readonly query: ListQuery } | { readonly ok: false; readonly problem: string }

const DEFAULT_LIMIT = 50
const MOST = 100
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export const isUuid = (word: string): boolean => UUID.test(word)

/** Parses the query of the list (docs/description.md, 4.1). Unknown parameters are ignored. */
export function parseListQuery(parameters: URLSearchParams): ParsedQuery {
  for (const name of ['offset', 'limit', 'workspace_id']) {
    if (parameters.getAll(name).length > 1) return problem(`${name}: expected once`)
  }
  const offset = parseOffset(parameters.get('offset'))
  if (offset === undefined) return problem('offset: expected an integer of at least 0')
  const limit = parseCount(parameters.get('limit') ?? String(DEFAULT_LIMIT))
  if (limit === undefined || limit < 1 || limit > MOST) return problem(`limit: expected an integer from 1 to ${MOST}`)
  const workspaceId = parameters.get('workspace_id')
  if (workspaceId !== null && !isUuid(workspaceId)) return problem('workspace_id: expected a uuid')
  return { ok: true, query: { offset, limit, workspaceId: workspaceId?.toLowerCase() ?? null } }
}

const problem = (text: string): ParsedQuery => ({ ok: false, problem: text })

/** The offset may be null, which clients write as `null` or as an empty string. */
const parseOffset = (text: string | null): number | undefined =>
  text === null || text === '' || text === 'null' ? 0 : parseCount(text)

function parseCount(text: string): number | undefined {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(count) ? count : undefined
}

/** Returns one page of a workspace's destinations, the oldest first. */
export function listPage(all: readonly Destination[], workspaceId: string, { offset, limit }: ListQuery): JsonObject {
  const listed = all.filter(({ workspace_id, release }) => workspace_id === workspaceId && release === 'stable')
  const page = listed.toSorted(byAge).slice(offset, offset + limit)
  return { data: page.map(viewDestination), total_count: listed.length }
}

const byAge = (a: Destination, b: Destination): number =>
  Date.parse(a.created_at) - Date.parse(b.created_at) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** The error envelope of this endpoint (docs/description.md, 2.3): its code is the HTTP status. */
export const listError = (status: number, message: string): JsonObject => ({ error: { code: status, message } })
