import { listConcat } from '../../../collections/list.ts'
import type { CallDelta, StopDelta } from '../../../protocol/delta.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { toArgumentObject } from '../../../responses/call-arguments.ts'
import { append } from '../../../text/flat-string.ts'
import type { ResponsePart } from '../json.ts'
import { readPayload } from '../thought-signatures.ts'
import {
  dropSteps,
  type Held,
  type HeldCall,
  heldCall,
  holdPart,
  isEmpty,
  shiftHeld,
  signCall,
  signImage,
  withCall,
} from './part-buffer.ts'
import { addSeal, takeSeals } from './pending-signatures.ts'
import { type ChunkState, change } from './state.ts'

/** Creates an empty part with a signature: Google's form for the signature of a text that was already streamed. */
export const loosePart = (thoughtSignature: string): ResponsePart => ({ text: '', thoughtSignature })

const loose = (signature: string): Held => ({ kind: 'loose', part: loosePart(signature) })

// ---------------------------------------------------------------- calls

/** Moves the arguments that are being collected into their call. */
function settle(state: ChunkState): ChunkState {
  const { telling, held } = state.story
  if (telling === null) return state
  const settled = withCall(held, telling, { args: state.args })
  return { said: state.said, args: '', story: { ...state.story, held: settled, telling: null } }
}

export function hearCall(state: ChunkState, delta: CallDelta): ChunkState {
  if (delta.key === state.story.telling) {
    return { said: state.said, args: append(state.args, delta.arguments), story: state.story }
  }
  const settled = settle(state)
  const { held, seals } = settled.story
  const known = heldCall(held, delta.key)
  if (known !== undefined) return { ...change(settled, { telling: delta.key }), args: known.args + delta.arguments }
  const { signature, others, left } = takeSeals(seals, delta.callId ?? '')
  const call: HeldCall = {
    kind: 'call',
    key: delta.key,
    id: delta.callId ?? '',
    name: delta.name ?? '',
    free: delta.type === 'custom_tool_call',
    args: '',
    whole: false,
    cut: false,
    signature,
  }
  const begun = change(settled, {
    held: [...others.map(loose), call].reduce(holdPart, held),
    seals: left,
    telling: delta.key,
  })
  return { ...begun, args: delta.arguments }
}

/** Marks the call of a key as whole. */
export function endItem(state: ChunkState, { key, cut = false }: StopDelta): ChunkState {
  if (heldCall(state.story.held, key) === undefined) return state
  const settled = settle(state)
  return change(settled, { held: withCall(settled.story.held, key, { whole: true, cut }) })
}

/** Returns the arguments as an object; null if they are cut off or no object: such a call must not be executed. */
const argsOf = ({ free, args, cut }: HeldCall): JsonObject | null =>
  free ? { input: args } : cut ? null : toArgumentObject(args)

// ---------------------------------------------------------------- held parts

interface Released {
  readonly parts: readonly ResponsePart[]
  readonly state: ChunkState
}

const NO_PARTS: readonly ResponsePart[] = []

/** Releases held parts before any other output, up to the first call that is incomplete: calls keep their order. */
export function release(before: ChunkState, all = false): Released {
  if (isEmpty(before.story.held)) return { parts: NO_PARTS, state: before }
  const state = settle(before)
  const { parts: shifted, left } = shiftHeld(state.story.held, all)
  const parts: ResponsePart[] = []
  const broken: string[] = []
  for (const it of shifted) {
    if (it.kind === 'call') tellCall(it, parts, broken)
    else parts.push(it.part)
  }
  const called = state.story.called || parts.some(({ functionCall }) => functionCall !== undefined)
  return { parts, state: change(state, { held: left, called, broken: listConcat(state.story.broken, broken) }) }
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
  change(state, { held: held.reduce(holdPart, state.story.held) })

// ---------------------------------------------------------------- signatures

const withSeal = (state: ChunkState, signature: string, call: string | null): ChunkState =>
  change(state, { seals: addSeal(state.story.seals, signature, call) })

/**
 * Keeps an envelope of another vendor: it becomes the signature of the next part, and clients send it back unchanged.
 */
export const addEnvelope = (state: ChunkState, signature: string): ChunkState => withSeal(state, signature, null)

function sealCall(state: ChunkState, call: string, signature: string): ChunkState {
  // The upstream may have repeated the call to add its signature, so the call is held already.
  const held = call === '' ? null : signCall(state.story.held, call, signature)
  return held === null ? withSeal(state, signature, call) : change(state, { held })
}

function sealImage(state: ChunkState, mimeType: string, thoughtSignature: string): ChunkState {
  const held = signImage(state.story.held, mimeType, thoughtSignature)
  return held === null ? hold(state, [loose(thoughtSignature)]) : change(state, { held })
}

/** The code and its result. */
const PARTS_OF_A_STEP = 2

/** Holds whole parts of Google. They replace the parts built from the same code steps, which are the last ones held. */
function putParts(state: ChunkState, parts: readonly ResponsePart[]): ChunkState {
  const made = parts.filter(({ executableCode }) => executableCode !== undefined).length * PARTS_OF_A_STEP
  const raw = parts.map((part): Held => ({ kind: 'loose', part }))
  return change(state, { held: raw.reduce(holdPart, dropSteps(state.story.held, made)) })
}

/**
 * Applies the `encrypted_content` of a reasoning item. A signature of Google returns to where it came from (`Payload`):
 * to its call, its image, its own part, or an empty part after its text, which was already emitted.
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
