import { upstreamError } from '../../protocol/error.ts'
import { parseJson } from '../../text/json.ts'
import type { ModelLister } from '../../wires/model-list-contract.ts'
import { faultOfModel } from '../../wires/model-names.ts'
import { upstreamUrl } from '../../wires/shared/upstream/upstream-url.ts'
import { isCompressed } from '../body/content-coding.ts'
import { Cancellation, type CancellationSignal } from '../cancellation.ts'
import type { Config } from '../config/config.ts'
import { type MemberModels, membersFor, namesOfMember } from '../config/model-rules.ts'
import { readWhole } from '../upstream/read-response-body.ts'
import type { UpstreamRequest } from '../upstream/transport.ts'
import type { VendorAccount } from './accounts.ts'

/** The models of the vendors, as the vendors list them. */
interface ModelLists {
  /** The vendor's own names of its models; null if they cannot be listed now. Never rejects. */
  namesOf(account: VendorAccount): Promise<readonly string[] | null>
}

/** The bounds of one list: OpenRouter, the longest, has several hundred models in less than 2 MiB. */
const LONGEST_PAGE = 4 * 1024 * 1024
const MOST_PAGES = 10
const MOST_NAMES = 2000
const LONGEST_NAME = 256

/** A vendor that failed is asked again after this time, so that not every request waits for it. */
const FAILED_SECONDS = 30

interface Listed {
  readonly names: Promise<readonly string[] | null>
  /** Milliseconds since 1970; infinite while the vendor is being asked. */
  expires: number
}

/** `clock`: milliseconds since 1970. */
export function createModelLists(config: Config['model_lists'], clock: () => number): ModelLists {
  const known = new Map<string, Listed>()
  return {
    namesOf(account) {
      if (!config.ask) return Promise.resolve(null)
      const last = known.get(account.name)
      if (last !== undefined && clock() < last.expires) return last.names
      const names = fetchList(account, config.timeout_seconds)
      const listed: Listed = { names, expires: Number.POSITIVE_INFINITY }
      known.set(account.name, listed)
      void names.then((found) => {
        const seconds = found === null ? Math.min(FAILED_SECONDS, config.cache_seconds) : config.cache_seconds
        listed.expires = clock() + seconds * 1000
      })
      return names
    },
  }
}

/** Whether names that the configuration does not contain may be served. */
const servesPattern = (models: MemberModels): boolean =>
  (Array.isArray(models) ? models : Object.keys(models)).some((name: string) => name.includes('*'))

/** The most members of a pool that are asked for one list. */
const MOST_ASKED = 3

/** The models that members are configured to serve, and those of the list that any member serves. */
async function fetchList(account: VendorAccount, seconds: number): Promise<readonly string[] | null> {
  const { pool } = account
  if (pool === null) return fetchFromOne([account], seconds)
  const named = pool.members.flatMap(({ models }) => namesOfMember(models))
  const open = pool.members.filter(({ models }) => models === undefined || servesPattern(models))
  const listed = await fetchFromOne(
    open.map((member) => member.account),
    seconds,
  )
  const served = (listed ?? []).filter((name) => membersFor(pool.members, name).length > 0)
  const names = [...new Set([...named, ...served])]
  return names.length === 0 ? null : names
}

/** Asks accounts one after the other, until one of them lists the models. */
async function fetchFromOne(accounts: readonly VendorAccount[], seconds: number): Promise<readonly string[] | null> {
  for (const one of accounts.slice(0, MOST_ASKED)) {
    const names = await fetchNames(one, seconds)
    if (names !== null) return names
  }
  return null
}

/** Requests all pages within the time limit. A list that fails at a later page is not known at all. */
async function fetchNames(account: VendorAccount, seconds: number): Promise<readonly string[] | null> {
  const { key, needsKey, wire } = account
  if (wire.modelList === undefined || (key === null && needsKey)) return null
  const limited = new Cancellation()
  const timer = setTimeout(() => limited.abort(LATE), seconds * 1000)
  try {
    const names = await fetchPages(account, wire.modelList, limited)
    return names === null || names.size === 0 ? null : [...names]
  } finally {
    clearTimeout(timer)
  }
}

const LATE = upstreamError('upstream_timeout', 'The vendor did not list its models in time.', 504)

async function fetchPages(
  account: VendorAccount,
  lister: ModelLister,
  signal: CancellationSignal,
): Promise<ReadonlySet<string> | null> {
  const names = new Set<string>()
  let from: string | null = null
  for (let pages = 0; pages < MOST_PAGES && names.size < MOST_NAMES; pages += 1) {
    const body = await fetchPage(account, lister, from, signal)
    const page = lister.decode(body)
    if (page === null) return null
    for (const id of page.ids) if (names.size < MOST_NAMES && isName(id, account)) names.add(id)
    from = page.next
    if (from === null) break
  }
  return names
}

/** Returns undefined if there is no such page. */
async function fetchPage(
  { wire, quirks, baseUrl, key, headers, source }: VendorAccount,
  lister: ModelLister,
  from: string | null,
  signal: CancellationSignal,
): Promise<unknown> {
  const url = upstreamUrl(baseUrl, lister.path(from))
  if (url === null) return undefined
  const call: UpstreamRequest = {
    method: 'GET',
    url,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'millrace',
      ...lister.headers,
      ...(key === null ? {} : wire.authorize(key, quirks)),
      ...headers,
    },
    body: '',
    model: '',
    stream: false,
  }
  const answer = await source(call, signal)
  if (!answer.ok) return undefined
  if (answer.value.status !== 200 || isCompressed(answer.value.headers['content-encoding'])) {
    answer.value.abort()
    return undefined
  }
  const text = await readWhole(answer.value, LONGEST_PAGE)
  return text.ok ? parseJson(text.value) : undefined
}

/** Clients show the names, and send them back: a name is text that a request may contain, and contains no secret. */
const isName = (id: unknown, { wire, quirks, redact }: VendorAccount): id is string =>
  typeof id === 'string' &&
  id.length <= LONGEST_NAME &&
  id.trim() === id &&
  faultOfModel(id, wire, quirks) === null &&
  redact(id) === id
