import type { JsonObject } from '../../protocol/json.ts'
import { joinLosses, type Loss } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { createSourceMap, type PathMap } from '../../protocol/source-map.ts'
import { isObject, toArray, toCamel } from '../../text/json.ts'
import { SEARCHED_ENTRIES, type Steps } from '../../text/steps.ts'
import { SETTINGS, type SettingName, shapeOf } from '../../wires/body-contract.ts'
import type { Wire } from '../../wires/contract.ts'
import type { EditContext, EditedBody, RequestPassthrough } from '../../wires/passthrough-contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { hasIssued } from '../../wires/shared/passthrough/conditions.ts'
import type { ClientRequest } from '../client-request.ts'
import { ruleFacts } from '../passes/rules.ts'
import { mendRequest } from '../rules/mend-request.ts'
import type { RequestRule } from '../rules/rule.ts'
import { rulesFor } from '../rules/rules.ts'
import { numberLosses } from './number-losses.ts'
import { refusedSettings, SETTINGS_EDIT } from './refused-settings.ts'

/** The properties of an upstream that decide whether a body is passed through. */
interface PassthroughRoute {
  readonly wire: Wire
  readonly quirks: Quirks
  readonly model: string
  /** False if the hub translates every request to this upstream. Default: true. */
  readonly passthrough?: boolean
  readonly rules?: readonly RequestRule[]
}

/** The changes that the rules of the upstream make in a body that is passed through. */
export interface PassPlan {
  readonly settings: readonly SettingName[]
  /** The request that obeys the rules, whose settings are sent. */
  readonly request: Request
  /** The losses of these changes, with the client's own paths. */
  readonly losses: readonly Loss[]
  /** As in `EditContext`. */
  readonly hasEnvelopes: boolean
}

/**
 * Decides, in slices, whether the client's own body goes to the upstream: both speak the same protocol, the gateway has
 * not changed the request, and edits cover what this upstream needs otherwise. Null: the hub translates the request.
 * `open`: opens the envelopes of this upstream.
 */
export function* planPassing(
  client: ClientRequest,
  route: PassthroughRoute,
  open: EditContext['open'],
): Steps<PassPlan | null> {
  const { sent, request } = client
  const { wire, quirks, passthrough = true } = route
  const { rules, edits } = wire.passthrough?.request ?? NO_PASSTHROUGH
  if (!passthrough || !sent.isIntact || rules === undefined || !isObject(sent.body)) return null
  if (sent.wire !== wire.name || sent.dialect !== (wire.dialect ?? null)) return null
  if (quirks.customTools !== true && request.tools.some(({ type }) => type === 'custom')) return null
  const facts = ruleFacts({ wire, quirks, model: route.model, open }, sent.wire)
  if (rules.settings(sent.body, quirks, request, facts.model)) return null
  const isIssued = wire.client?.isIssued ?? isNever
  let hasEnvelopes = rules.opensEnvelopes === true
  const opened: EditContext['open'] = (envelope) => {
    hasEnvelopes = true
    return open(envelope)
  }
  // The hub cannot place entries that it cannot read.
  const isPlaced = client.untranslatable === null && sent.isFragment !== true
  const isRefused = isPlaced ? rules.refusesEntries?.(quirks, facts.model) : undefined
  let searched = 0
  for (const entry of toArray(sent.body[rules.history])) {
    if (searched % SEARCHED_ENTRIES === 0) yield
    searched += 1
    if (isObject(entry) && (rules.entry(entry, quirks) || isRefused?.(entry) === true)) return null
    if (rules.opensEnvelopes !== true && hasIssued(entry, isIssued, opened)) return null
  }
  const mended = yield* mendRequest(request, facts, rulesFor(facts, route.rules))
  const { changes } = mended
  const refusedForms = rules.refusedForms?.(sent.body, facts.model) ?? NO_FORMS
  if (changes.length === 0 && refusedForms.length === 0) return { settings: [], request, losses: [], hasEnvelopes }
  // A part that the gateway cannot read may be the one that a rule misses, such as a new output: only settings are mended.
  const isUntranslatable = client.untranslatable !== null
  const others = changes.filter(
    ({ rule, members }) => !Object.hasOwn(edits, rule) && (!isUntranslatable || members.every(isSetting)),
  )
  const settings = new Set(others.flatMap(({ members }) => members))
  for (const name of refusedForms) settings.add(name)
  if (![...settings].every(isSetting)) return null
  const losses = [
    ...(refusedForms.length === 0 ? [] : formLosses(client, refusedForms, wire)),
    ...client.sourceMap.toClientLosses(others.flatMap((change) => change.losses)),
  ]
  const { editedSettings: edited = [] } = rules
  return {
    settings: SETTINGS.filter((name) => settings.has(name) && !edited.includes(name)),
    request: mended.request,
    losses,
    hasEnvelopes,
  }
}

const isNever = (): boolean => false

const inCamel = (path: string): string => path.split('.').map(toCamel).join('.')

/** The losses of reading settings that are sent in another form than the client's. */
function formLosses({ losses }: ClientRequest, names: readonly SettingName[], wire: Wire): readonly Loss[] {
  const paths = names.flatMap((name) => shapeOf(wire).settings[name] ?? name).map(inCamel)
  const isInside = (path: string): boolean => paths.some((one) => path === one || path.startsWith(`${one}.`))
  return losses.filter(({ path, action }) => action === 'mapped' && isInside(inCamel(path)))
}

const NO_FORMS: readonly SettingName[] = []

const NO_PASSTHROUGH: Partial<RequestPassthrough> & Pick<RequestPassthrough, 'edits'> = { edits: {} }

/** Members that edits of their own set, or that are part of the prompt. */
const NO_SETTINGS: ReadonlySet<string> = new Set(['model', 'instructions', 'stream'])

const isSetting = (name: string): boolean => SETTINGS.some((setting) => setting === name) && !NO_SETTINGS.has(name)

/** A client's own body after the edits. */
interface EditedRequest {
  readonly body: JsonObject
  /** The losses of the edits, with the client's own paths. */
  readonly losses: readonly Loss[]
  /** The names of the edits that changed the body. */
  readonly edits: readonly string[]
  /** Translates paths of the body to the client's own. */
  readonly toClientPath: PathMap
}

/** Applies the edits of a protocol and of the rules of the upstream, in slices. Nothing is changed in place. */
export function* passBody(
  sent: JsonObject,
  { request: { edits: table, rules }, wire }: { readonly request: RequestPassthrough; readonly wire: Wire },
  plan: PassPlan,
  context: EditContext,
): Steps<EditedRequest> {
  let body = sent
  const losses: Loss[] = []
  const edits: string[] = []
  let toClientPath: PathMap = (path) => path
  for (const name of [...Object.keys(table), SETTINGS_EDIT]) {
    const result = table[name]?.(body, context) ?? refusedSettings(body, context, plan, wire, rules)
    const edited = 'losses' in result ? result : yield* result
    if (edited.body !== body) edits.push(name)
    if (edited.losses.length > 0) losses.push(...createSourceMap(toClientPath).toClientLosses(edited.losses))
    toClientPath = after(toClientPath, edited)
    body = edited.body
  }
  const names = Object.keys(sent).filter((name) => Object.hasOwn(body, name))
  const rounded = yield* numberLosses(sent, names)
  if (rounded.length > 0) losses.push(...rounded)
  return { body, losses: losses.length === 0 ? losses : joinLosses([], losses), edits, toClientPath }
}

function after(toClientPath: PathMap, { toEarlier }: EditedBody): PathMap {
  if (toEarlier === undefined) return toClientPath
  return (path) => {
    const earlier = toEarlier(path)
    return earlier === null ? null : toClientPath(earlier)
  }
}
