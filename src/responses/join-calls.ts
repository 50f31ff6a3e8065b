import {
  mapDelete,
  mapGet,
  mapKeys,
  mapSet,
  mapSize,
  type SortedMap,
  type SortedSet,
} from '../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { CallDelta, Delta, FinalDelta, StopDelta } from '../protocol/delta.ts'
import type { CallType } from '../protocol/item.ts'
import { appendBlock, appendFlat } from '../text/flat-string.ts'
import type { NestedScan } from '../text/json-scan.ts'
import {
  type ArgumentText,
  addArguments,
  beginsArguments,
  endArguments,
  isBlank,
  NO_ARGUMENTS,
  repeatsArguments,
  settleArguments,
  writeMore,
} from './argument-text.ts'
import { growName } from './grow-name.ts'

/** A call of the answer, as far as its pieces have arrived. */
interface Call {
  /** Its number in the answer, from 0. */
  readonly at: number
  /** That of its first piece with a name or arguments; null before it. */
  readonly type: CallType | null
  /** The first id that named it; empty if none has. */
  readonly id: string
  /** As it arrived, with the marks that are removed from it. */
  readonly name: string
  /** Of a function; those of a custom call are free text. The active call has the rest of its text in `more`. */
  readonly args: ArgumentText
  /** An empty object arrived together with the name: it may stand for arguments that follow. */
  readonly isAnnounced: boolean
  /** A name that came after the arguments had closed: that of the next call, if it gets arguments. */
  readonly next: string
  readonly ended: boolean
}

/** The call whose arguments the last piece continued. */
interface ActiveCall {
  /** The key of the pieces, and that of the call. */
  readonly key: string
  readonly own: string
}

/** The calls of an answer. Each has a key of its own, which is that of the upstream for its first call under it. */
export interface JoinState {
  readonly active: ActiveCall | null
  /** Arguments of the active call that its `args` do not have yet. */
  readonly more: string
  /** The scan of all its arguments; 0 if no call is active. */
  readonly scan: NestedScan
  readonly calls: SortedMap<string, Call>
  /** By id: every id that has named a call. */
  readonly byId: SortedMap<string, string>
  /** By key of the upstream: the last call under it. */
  readonly byKey: SortedMap<string, string>
  /** Calls that may get more arguments. */
  readonly open: SortedSet<string>
  /**
   * Calls that hold back a part of their arguments: an empty object until anything else arrives, one that came with the
   * name until content of another kind arrives, and what may be no arguments until the end of the answer.
   */
  readonly soon: SortedSet<string>
  readonly late: SortedSet<string>
  /** The call of the last piece; empty if there is none. */
  readonly last: string
}

const NO_CALLS: JoinState = {
  active: null,
  more: '',
  scan: 0,
  calls: null,
  byId: null,
  byKey: null,
  open: null,
  soon: null,
  late: null,
  last: '',
}

const NO_ACTIVE: Pick<JoinState, 'active' | 'scan'> = { active: null, scan: 0 }

/** The key of a piece whose upstream numbers no calls. */
export const NO_KEY = ''

const EXCESS = 'arguments after the end of a call'

/**
 * Pieces of calls → calls: decides to which call a piece belongs, and where its arguments begin and end. Its id comes
 * first, then a known key, then the only open call; a new id under a known key begins a call. In the output, each call
 * has a key of its own, its id and its name come before its arguments, and the arguments of a function are one object,
 * unless the upstream sent something else.
 *
 * A piece that only continues the arguments of the active call changes nothing but `more` and `scan`. Any other piece
 * costs O(k) for its own k characters, amortised, and O(log n) after n calls.
 */
export const joinCalls: Machine<JoinState, Delta, Delta> = {
  initial: NO_CALLS,

  step(state, delta): Step<JoinState, Delta> {
    switch (delta.kind) {
      case 'call':
        return goOn(state, delta) ?? switchTo(state, delta) ?? applyCall(state, delta)
      case 'stop':
        return applyStop(state, delta)
      case 'final':
        return applyFinal(state, delta)
      case 'finish':
      case 'error':
      case 'cut':
        return waits(state) ? settle(state, 'end', delta) : pass(state, delta)
      case 'text':
      case 'refusal':
      case 'reasoning':
      case 'summary':
      case 'hosted':
        return waits(state) ? settle(state, 'content', delta) : pass(state, delta)
      default:
        return pass(state, delta)
    }
  },

  end: (state) => (waits(state) ? settle(state, 'end', null).events : NOTHING),
}

const waits = ({ soon, late }: JoinState): boolean => soon !== null || late !== null

const pass = (state: JoinState, delta: Delta): Step<JoinState, Delta> => ({ state, events: [delta] })

// ---------------------------------------------------------------- more arguments of the active call

const isBare = ({ callId, name, type }: CallDelta): boolean =>
  callId === null && name === null && type === 'function_call'

/** More arguments of the active call; null for any other piece. */
function goOn(state: JoinState, delta: CallDelta): Step<JoinState, Delta> | null {
  const { active, more, calls } = state
  const { arguments: piece } = delta
  if (active === null || delta.key !== active.key) return null
  const { own } = active
  if (!isBare(delta) && !namesAgain(state, own, delta)) return null
  if (piece === '') return { state, events: NOTHING }
  const length = beginsArguments(piece) ? (mapGet(calls, own)?.args.text.length ?? 0) + more.length : 0
  const step = writeMore(state.scan, length, piece)
  if (step === null) return null
  return { state: withMore(state, appendFlat(more, piece), step.scan), events: [written(delta, own, step.out)] }
}

/** Whether a piece repeats what names its call: some servers send it with each piece. */
function namesAgain(state: JoinState, own: string, delta: CallDelta): boolean {
  const call = mapGet(state.calls, own)
  if (call === undefined || delta.type !== 'function_call') return false
  const isNamed = (call.name !== '' || delta.name === null) && (call.id !== '' || delta.callId === null)
  return isNamed && findCall(state, delta) === own && register(state, own, delta) === state
}

/** More arguments of another call inside its object, which becomes the active one; null for any other piece. */
function switchTo(state: JoinState, delta: CallDelta): Step<JoinState, Delta> | null {
  const { key, arguments: piece } = delta
  if (key === NO_KEY || !isBare(delta)) return null
  const own = mapGet(state.byKey, key)
  const call = own === undefined ? undefined : mapGet(state.calls, own)
  if (own === undefined || own === state.active?.own || call === undefined || !isActive(call)) return null
  const step = writeMore(call.args.scan, call.args.text.length, piece)
  if (step === null) return null
  const { byId, byKey, open, soon, late } = state
  const { scan } = step
  const active = { key, own }
  const next = { active, more: piece, scan, calls: withActive(state), byId, byKey, open, soon, late, last: own }
  return { state: next, events: [written(delta, own, step.out)] }
}

/** Whether more arguments of a call need no look at its earlier ones: it is inside its object. */
const isActive = ({ args: { phase }, ended }: Call): boolean => phase === 'object' && !ended

const written = (delta: CallDelta, own: string, out: string): CallDelta =>
  own === delta.key && out === delta.arguments && isBare(delta)
    ? delta
    : { ...delta, key: own, callId: null, name: null, arguments: out }

/** Uses no spread, which would cost more than the rest of a step. */
const withMore = (state: JoinState, more: string, scan: NestedScan): JoinState => ({
  active: state.active,
  more,
  scan,
  calls: state.calls,
  byId: state.byId,
  byKey: state.byKey,
  open: state.open,
  soon: state.soon,
  late: state.late,
  last: state.last,
})

/** The calls, with the text of the active one. Uses no spread, for the same reason. */
function withActive({ active, more, scan, calls }: JoinState): JoinState['calls'] {
  const call = active === null || more === '' ? undefined : mapGet(calls, active.own)
  if (active === null || call === undefined) return calls
  const { phase, held, escaped, text, resends } = call.args
  const bare = call.args.bare && isBlank(more)
  const args = { phase, held, escaped, text: appendBlock(text, more), scan, bare, resends }
  const { at, type, id, name, isAnnounced, next, ended } = call
  return mapSet(calls, active.own, { at, type, id, name, args, isAnnounced, next, ended })
}

/** Moves the text of the active call into it. */
function commit(state: JoinState): JoinState {
  const calls = withActive(state)
  return calls === state.calls ? state : { ...state, more: '', calls }
}

// ---------------------------------------------------------------- to which call a piece belongs

/** The number of the call to which the last piece belongs; null before the first call. */
export const numberOfCall = ({ calls, last }: JoinState): number | null => mapGet(calls, last)?.at ?? null

/** The call of the last piece as it was before it; null if the piece began the call. */
export const callBefore = ({ calls }: JoinState, { last }: JoinState): Pick<Call, 'id' | 'name' | 'args'> | null =>
  mapGet(calls, last) ?? null

/** Returns the key of the call that a piece continues; null if it begins one. */
function findCall(state: JoinState, delta: CallDelta): string | null {
  const { key, callId, name } = delta
  const byId = callId === null ? undefined : mapGet(state.byId, callId)
  const own = byId ?? (key === NO_KEY ? undefined : mapGet(state.byKey, key))
  const call = own === undefined ? undefined : mapGet(state.calls, own)
  if (own !== undefined && call !== undefined) {
    const isElsewhere = key !== NO_KEY && mapGet(state.byKey, key) !== own
    return isAnother(call, delta, byId !== undefined, isElsewhere) ? null : own
  }
  if (callId !== null || name !== null) return null
  const only = mapSize(state.open) === 1 ? mapKeys(state.open)[0] : key === NO_KEY ? state.last : ''
  return only === undefined || only === '' || beginsAgain(state, only, delta) ? null : only
}

/** Arguments that begin again, under another key, are those of a call whose name comes late. */
function beginsAgain({ calls }: JoinState, own: string, { key, arguments: piece }: CallDelta): boolean {
  const args = mapGet(calls, own)?.args
  return key !== NO_KEY && args?.phase === 'object' && beginsArguments(piece) && !isRepeated(args, piece)
}

const isRepeated = ({ text, resends }: ArgumentText, piece: string): boolean => repeatsArguments(text, piece, resends)

/** Whether a piece under the id of a call (`byId`) or its key begins another call. `isElsewhere`: under another key. */
function isAnother(call: Call, delta: CallDelta, byId: boolean, isElsewhere: boolean): boolean {
  const { callId, name, arguments: piece } = delta
  const isNew = callId !== null && !byId
  const isRenamed = name !== null && call.name !== '' && name !== call.name
  if (isNew && name !== null && (call.id !== '' ? !isMore(call, delta) : isRenamed && !name.startsWith(call.name)))
    return true
  const begins = beginsArguments(piece.trimStart())
  // Some servers give all calls one id.
  if (isRenamed && byId && isElsewhere) return true
  if (call.args.phase === 'empty' && !call.ended) return isRenamed && (byId || begins)
  if (!isClosed(call)) return isRenamed && begins && call.args.phase === 'object'
  if (name !== null && isElsewhere) return true
  if (!begins) return isRenamed && (byId || call.ended)
  const isNamed = name !== null || call.next !== '' || (isNew && call.id !== '')
  // A whole call may come once more.
  return isNamed && (isRenamed || settleArguments(piece) !== settleArguments(call.args.text))
}

/** Whether the arguments of a call are whole, so that nothing continues them. */
const isClosed = ({ ended, args: { phase } }: Call): boolean => ended || phase === 'closed'

/** Whether a piece under a new id continues a call all the same: some servers send another id with each piece. */
const isMore = (call: Call, { name, arguments: piece }: CallDelta): boolean =>
  call.args.phase === 'object' && name === call.name && piece.trim() !== '' && !beginsArguments(piece)

// ---------------------------------------------------------------- pieces of calls

/** The marks of harmony, the format of gpt-oss, which no name of a tool has. */
const MARK = '<|'

function withoutMarks(name: string): string {
  if (!name.includes(MARK)) return name
  const rest = name.replace(/^(?:<\|[a-z_]*\|>)+/, '')
  const at = rest.indexOf(MARK)
  return at < 0 ? rest : rest.slice(0, at)
}

function applyCall(before: JoinState, delta: CallDelta): Step<JoinState, Delta> {
  const state = commit(before)
  const own = findCall(state, delta)
  return own === null ? beginCall(state, delta) : continueCall(state, own, delta)
}

function beginCall(before: JoinState, delta: CallDelta): Step<JoinState, Delta> {
  const { key, callId, arguments: piece } = delta
  const { state, events } = before.soon === null ? { state: before, events: NOTHING } : settle(before, 'call', null)
  const count = mapSize(state.calls)
  const own = key === NO_KEY ? `call ${count}` : mapGet(state.calls, key) === undefined ? key : `again ${count} ${key}`
  const earlier = mapGet(state.calls, mapGet(state.byKey, key) ?? '')
  const name = delta.name ?? (earlier?.next || null)
  const call: Call = {
    at: count,
    type: null,
    id: callId ?? '',
    name: name ?? '',
    args: NO_ARGUMENTS,
    isAnnounced: false,
    next: '',
    ended: false,
  }
  const step = addPiece(call, { ...delta, key: own, name: name && withoutMarks(name), arguments: piece }, true)
  const started = register(state, own, delta)
  return { state: withCall(started, key, own, step.call), events: [...events, ...step.events] }
}

/** Notes the names under which a call is found. */
function register(state: JoinState, own: string, { key, callId }: CallDelta): JoinState {
  const byId = callId === null ? state.byId : mapSet(state.byId, callId, own)
  const byKey = key === NO_KEY ? state.byKey : mapSet(state.byKey, key, own)
  return byId === state.byId && byKey === state.byKey ? state : { ...state, byId, byKey }
}

function continueCall(state: JoinState, own: string, delta: CallDelta): Step<JoinState, Delta> {
  const { key, callId, name, arguments: piece } = delta
  const call = mapGet(state.calls, own) as Call
  const known = register(state, own, delta)
  if (call.name !== '' && isClosed(call) && piece.trim() === '') {
    const next = name === null || callId !== null ? call.next : name
    return { state: { ...known, calls: mapSet(known.calls, own, { ...call, next }), last: own }, events: NOTHING }
  }
  const hasStarted = call.name !== '' && (isClosed(call) || call.args.phase !== 'start')
  const shown = hasStarted || name === call.name ? null : name
  const id = call.id === '' ? callId : null
  const grown = growName(call.name, shown ?? '')
  const named = shown === null && id === null ? call : { ...call, id: call.id || (id ?? ''), name: grown }
  const cleaned = shown === null || !grown.includes(MARK) ? shown : withoutMarks(grown)
  const step = addPiece(named, { ...delta, key: own, callId: id, name: cleaned })
  return { state: withCall(known, key, own, step.call), events: step.events }
}

interface CallStep {
  readonly call: Call
  readonly events: readonly Delta[]
}

/** Adds a piece to a call, and emits what is written of it. The first piece of a call is never silent. */
function addPiece(before: Call, found: CallDelta, isFirst = false): CallStep {
  const type = before.type ?? (found.name === null && found.arguments === '' ? null : found.type)
  const call = type === before.type ? before : { ...before, type }
  const delta = type === null || type === found.type ? found : { ...found, type }
  if (delta.type !== 'function_call') return { call, events: isSilent(delta) && !isFirst ? NOTHING : [delta] }
  const { args, out, excess } = addArguments(call.args, delta.arguments)
  const isAnnounced = args.phase === 'empty' && (delta.name !== null || call.isAnnounced)
  const piece = out === delta.arguments ? delta : { ...delta, arguments: out }
  const events: Delta[] = isSilent(piece) && !isFirst ? [] : [piece]
  if (excess !== '') events.push({ kind: 'loss', feature: EXCESS })
  return {
    call: args === call.args && isAnnounced === call.isAnnounced ? call : { ...call, args, isAnnounced },
    events,
  }
}

/** A piece without an effect. */
const isSilent = ({ callId, name, arguments: text }: CallDelta): boolean =>
  callId === null && name === null && text === ''

/** Sets a call, which the piece under this key has continued. Uses no spread, as `withMore`. */
function withCall(state: JoinState, key: string, own: string, call: Call): JoinState {
  const { phase, held, scan } = call.args
  const isEmpty = phase === 'empty' && !call.ended
  const active = isActive(call)
  return {
    active: active ? { key, own } : null,
    more: '',
    scan: active ? scan : 0,
    calls: mapSet(state.calls, own, call),
    byId: state.byId,
    byKey: state.byKey,
    open: withMember(state.open, own, !isClosed(call)),
    soon: withMember(state.soon, own, isEmpty && !call.isAnnounced),
    late: withMember(state.late, own, (isEmpty && call.isAnnounced) || (phase === 'start' && held !== '')),
    last: own,
  }
}

const withMember = (set: SortedSet<string>, own: string, isMember: boolean): SortedSet<string> =>
  isMember ? mapSet(set, own, true) : set === null ? null : mapDelete(set, own)

// ---------------------------------------------------------------- ends of calls

/** Ends the arguments of a call, and emits what was held back of them. */
function endCall(call: Call, own: string): CallStep {
  const { args, out } = endArguments(call.args)
  const piece: CallDelta = { kind: 'call', key: own, type: 'function_call', callId: null, name: null, arguments: out }
  return { call: args === call.args ? call : { ...call, args }, events: out === '' ? NOTHING : [piece] }
}

/** Writes the arguments that were held back until another call, other content, or the end, before its delta. */
function settle(state: JoinState, until: 'call' | 'content' | 'end', delta: Delta | null): Step<JoinState, Delta> {
  const isOver = (own: string): boolean => until === 'end' || mapGet(state.calls, own)?.args.phase === 'empty'
  const waiting = [...mapKeys(state.soon), ...(until === 'call' ? [] : mapKeys(state.late).filter(isOver))]
  const events: Delta[] = []
  let now = state
  for (const own of waiting) {
    const step = endCall(mapGet(now.calls, own) as Call, own)
    const { active, more, scan } = now
    events.push(...step.events)
    now = { ...withCall(now, '', own, step.call), active, more, scan }
  }
  if (delta !== null) events.push(delta)
  return { state: now === state ? state : { ...now, last: state.last }, events }
}

/** The end of an item. That of a call may be held back arguments. */
function applyStop(before: JoinState, delta: StopDelta): Step<JoinState, Delta> {
  const own = mapGet(before.byKey, delta.key)
  if (own === undefined) return pass(before, delta)
  const state = commit(before)
  const { call, events } = endCall(mapGet(state.calls, own) as Call, own)
  const { active } = state
  const ended = withCall(state, delta.key, own, { ...call, ended: true })
  return {
    state: { ...ended, ...(active?.own === own ? NO_ACTIVE : { active, scan: state.scan }), last: state.last },
    events: [...events, own === delta.key ? delta : { ...delta, key: own }],
  }
}

/** A whole call that its upstream repeats: it is found by its id, then by its key. */
function applyFinal(before: JoinState, delta: FinalDelta): Step<JoinState, Delta> {
  const { whole } = delta
  if (whole.kind !== 'call') return pass(before, delta)
  const byId = whole.callId === null ? undefined : mapGet(before.byId, whole.callId)
  const isOwn = mapGet(before.calls, whole.key) !== undefined
  const own = byId ?? (isOwn ? whole.key : (mapGet(before.byKey, whole.key) ?? whole.key))
  const type = mapGet(before.calls, own)?.type ?? whole.type
  const text = type === 'function_call' ? settleArguments(whole.arguments) : whole.arguments
  const name = whole.name === null ? null : withoutMarks(whole.name)
  return pass(before, { kind: 'final', whole: { ...whole, key: own, type, name, arguments: text } })
}
