import type { CallDelta } from '../../protocol/delta.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject, parseJson } from '../../text/json.ts'
import { type ChunkState, change, type Held, type HeldCall, type Seal } from './encode-state.ts'
import { readPayload } from './signatures.ts'
import type { ResponsePart } from './wire.ts'

/** A part that bears a signature and says nothing: Google's own way where the text is already out. */
export const loosePart = (thoughtSignature: string): ResponsePart => ({ text: '', thoughtSignature })

const loose = (signature: string): Held => ({ kind: 'loose', part: loosePart(signature) })

interface Taken {
  readonly signature: string | null
  /** All but the last of several: a part bears one signature. */
  readonly others: readonly string[]
  readonly left: readonly Seal[]
}

/** The signatures that the next part takes. `callId` is null where it is no call. */
export function takeSeals(seals: readonly Seal[], callId: string | null): Taken {
  const isFor = ({ call }: Seal): boolean => call === null || (callId !== null && (call === '' || call === callId))
  const taken = seals.filter(isFor).map(({ signature }) => signature)
  return { signature: taken.at(-1) ?? null, others: taken.slice(0, -1), left: seals.filter((seal) => !isFor(seal)) }
}

// ---------------------------------------------------------------- calls

const isCall = (held: Held, key: string): held is HeldCall => held.kind === 'call' && held.key === key

/** The state with the arguments that are being told put where they belong. */
function settle(state: ChunkState): ChunkState {
  const { telling, held } = state.story
  if (telling === null) return state
  const settled = held.map((it) => (isCall(it, telling) ? { ...it, args: state.args } : it))
  return { said: state.said, args: '', story: { ...state.story, held: settled, telling: null } }
}

export function hearCall(state: ChunkState, delta: CallDelta): ChunkState {
  if (delta.key === state.story.telling) {
    return { said: state.said, args: state.args + delta.arguments, story: state.story }
  }
  const settled = settle(state)
  const { held, seals } = settled.story
  const known = held.find((it) => isCall(it, delta.key))
  if (known?.kind === 'call') {
    return { ...change(settled, { telling: delta.key }), args: known.args + delta.arguments }
  }
  const { signature, others, left } = takeSeals(seals, delta.callId ?? '')
  const call: HeldCall = {
    kind: 'call',
    key: delta.key,
    id: delta.callId ?? '',
    name: delta.name ?? '',
    free: delta.type === 'custom_tool_call',
    args: '',
    whole: false,
    signature,
  }
  const begun = change(settled, { held: [...held, ...others.map(loose), call], seals: left, telling: delta.key })
  return { ...begun, args: delta.arguments }
}

/** Nothing more comes under this key. */
export function endItem(state: ChunkState, key: string): ChunkState {
  if (!state.story.held.some((it) => isCall(it, key))) return state
  const settled = settle(state)
  return change(settled, { held: settled.story.held.map((it) => (isCall(it, key) ? { ...it, whole: true } : it)) })
}

/**
 * Arguments are an object; other JSON is put into one, as free text is. null where they are no JSON: a call that was cut
 * must not be taken for one that can be made.
 */
function argsOf({ free, args }: HeldCall): JsonObject | null {
  if (free) return { input: args }
  const value = parseJson(args)
  if (isObject(value)) return value as JsonObject
  if (value === undefined) return null
  return value === null ? {} : { input: args }
}

// ---------------------------------------------------------------- what waits

interface Released {
  readonly parts: readonly ResponsePart[]
  readonly state: ChunkState
}

const NO_PARTS: readonly ResponsePart[] = []

const isOpen = (held: Held): boolean => held.kind === 'call' && !held.whole

/** What was held back goes out before anything else is said: up to a call that is still being told, for calls stay in order. */
export function release(before: ChunkState, all = false): Released {
  if (before.story.held.length === 0) return { parts: NO_PARTS, state: before }
  const state = settle(before)
  const { held } = state.story
  const open = all ? -1 : held.findIndex(isOpen)
  const count = open < 0 ? held.length : open
  const parts: ResponsePart[] = []
  const broken: string[] = []
  for (const it of held.slice(0, count)) {
    if (it.kind === 'call') tellCall(it, parts, broken)
    else parts.push(it.part)
  }
  const called = state.story.called || parts.some(({ functionCall }) => functionCall !== undefined)
  const left = { held: held.slice(count), called, broken: [...state.story.broken, ...broken] }
  return { parts, state: change(state, left) }
}

function tellCall(call: HeldCall, parts: ResponsePart[], broken: string[]): void {
  const { id, name, signature } = call
  const args = argsOf(call)
  if (args === null) {
    broken.push(`${name}(${call.args}`)
    if (signature !== null) parts.push(loosePart(signature))
  } else {
    const functionCall = id === '' ? { name, args } : { id, name, args }
    parts.push(signature === null ? { functionCall } : { functionCall, thoughtSignature: signature })
  }
}

export const hold = (state: ChunkState, held: readonly Held[]): ChunkState =>
  change(state, { held: [...state.story.held, ...held] })

// ---------------------------------------------------------------- signatures

const addSeal = (state: ChunkState, seal: Seal): ChunkState => change(state, { seals: [...state.story.seals, seal] })

/** What another vendor sealed: it goes with whatever is said next, and comes back as it is. */
export const addEnvelope = (state: ChunkState, signature: string): ChunkState =>
  addSeal(state, { signature, call: null })

/** Gives something to the last of those that are held and fit; null where none does. */
function amend(state: ChunkState, fits: (held: Held) => boolean, amended: (held: Held) => Held): ChunkState | null {
  const { held } = state.story
  const at = held.findLastIndex(fits)
  return at < 0 ? null : change(state, { held: held.map((it, i) => (i === at ? amended(it) : it)) })
}

function sealCall(state: ChunkState, call: string, signature: string): ChunkState {
  // The same call was told again for its signature.
  const named = (it: Held): boolean => call !== '' && it.kind === 'call' && it.id === call && it.signature === null
  return amend(state, named, (it) => ({ ...it, signature }) as Held) ?? addSeal(state, { signature, call })
}

function sealImage(state: ChunkState, mimeType: string, thoughtSignature: string): ChunkState {
  const isImage = (it: Held): boolean => it.kind === 'image' && it.part.thoughtSignature === undefined
  const signed = (it: Held): Held =>
    it.kind === 'image' ? { ...it, part: { inlineData: { ...it.part.inlineData, mimeType }, thoughtSignature } } : it
  return amend(state, isImage, signed) ?? hold(state, [loose(thoughtSignature)])
}

/** Code and its result. */
const PARTS_OF_A_STEP = 2

/** Whole parts, in place of what was made of those among them that ran code: the last that are held. */
function putParts(state: ChunkState, parts: readonly ResponsePart[]): ChunkState {
  const { held } = state.story
  const made = parts.filter(({ executableCode }) => executableCode !== undefined).length * PARTS_OF_A_STEP
  const steps = held.filter(({ kind }) => kind === 'step')
  const replaced = new Set<Held>(made === 0 ? [] : steps.slice(-made))
  const raw = parts.map((part): Held => ({ kind: 'loose', part }))
  return change(state, { held: [...held.filter((it) => !replaced.has(it)), ...raw] })
}

/**
 * The `encrypted_content` of a reasoning item. A signature of Google goes where it came from (`Payload`): on its call, its
 * image, in its own part, or behind its text, which is out already.
 */
export function hearSeal(
  state: ChunkState,
  encrypted: string,
  open: (encrypted: string) => Json | undefined,
): ChunkState {
  const payload = readPayload(open(encrypted))
  if (payload === null) return addEnvelope(state, encrypted)
  switch (payload.on) {
    case 'call':
      return sealCall(state, payload.id, payload.signature)
    case 'image':
      return sealImage(state, payload.mimeType, payload.signature)
    case 'parts':
      return putParts(state, payload.parts)
    case 'text':
      return hold(
        state,
        payload.marks.map(([, , signature]) => loose(signature)),
      )
    case 'thought':
      return hold(
        state,
        payload.marks.map(([, , thoughtSignature]) => ({
          kind: 'loose',
          part: { text: '', thought: true, thoughtSignature },
        })),
      )
  }
}
