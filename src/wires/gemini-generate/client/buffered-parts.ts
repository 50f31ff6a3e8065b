import { listConcat } from '../../../collections/list.ts'
import type { CallDelta, StopDelta } from '../../../protocol/delta.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { toClientArguments } from '../../../responses/call-arguments.ts'
import { wrapEnvelope } from '../../../responses/encrypted-content.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import type { EncryptedContentCodec } from '../../client-contract.ts'
import type { ResponsePart } from '../json.ts'
import { readPayload } from '../thought-signatures.ts'
import {
  type BufferedPart,
  dropSteps,
  heldCall,
  holdPart,
  isEmpty,
  type PartCall,
  shiftHeld,
  signBufferedCall,
  signImage,
  withCall,
} from './part-buffer.ts'
import { addSeal, takeSeals } from './pending-signatures.ts'
import { type EncoderState, updateEncoder } from './state.ts'

/** Creates an empty part with a signature: Google's form for the signature of a text that was already streamed. */
export const loosePart = (thoughtSignature: string): ResponsePart => ({ text: '', thoughtSignature })

const loose = (signature: string): BufferedPart => ({ kind: 'loose', part: loosePart(signature) })

// ---------------------------------------------------------------- calls

/** Moves the arguments that are being collected into their call. */
function settle(state: EncoderState): EncoderState {
  const { collecting, held } = state.progress
  if (collecting === null) return state
  const settled = withCall(held, collecting, { args: state.args })
  return { text: state.text, args: '', progress: { ...state.progress, held: settled, collecting: null } }
}

export function addCall(state: EncoderState, delta: CallDelta): EncoderState {
  if (delta.key === state.progress.collecting) {
    return { text: state.text, args: appendFlat(state.args, delta.arguments), progress: state.progress }
  }
  const settled = settle(state)
  const { held, seals } = settled.progress
  const known = heldCall(held, delta.key)
  if (known !== undefined)
    return { ...updateEncoder(settled, { collecting: delta.key }), args: known.args + delta.arguments }
  const { signature, others, left } = takeSeals(seals, delta.callId ?? '')
  const call: PartCall = {
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
  const started = updateEncoder(settled, {
    held: [...others.map(loose), call].reduce(holdPart, held),
    seals: left,
    collecting: delta.key,
  })
  return { ...started, args: delta.arguments }
}

/** Marks the call of a key as whole. */
export function finishBufferedItem(state: EncoderState, { key, cut = false }: StopDelta): EncoderState {
  if (heldCall(state.progress.held, key) === undefined) return state
  const settled = settle(state)
  return updateEncoder(settled, { held: withCall(settled.progress.held, key, { whole: true, cut }) })
}

/** Returns the arguments as an object; null if they are cut off or no object: such a call must not be executed. */
const argsOf = ({ free, args, cut }: PartCall): JsonObject | null =>
  free ? { input: args } : cut ? null : toClientArguments(args)

// ---------------------------------------------------------------- held parts

interface Released {
  readonly parts: readonly ResponsePart[]
  readonly state: EncoderState
}

const NO_PARTS: readonly ResponsePart[] = []

/** Releases held parts before any other output, up to the first call that is incomplete: calls keep their order. */
export function release(before: EncoderState, all = false): Released {
  if (isEmpty(before.progress.held)) return { parts: NO_PARTS, state: before }
  const state = settle(before)
  const { parts: shifted, left } = shiftHeld(state.progress.held, all)
  const parts: ResponsePart[] = []
  const broken: string[] = []
  for (const it of shifted) {
    if (it.kind === 'call') writeCall(it, parts, broken)
    else parts.push(it.part)
  }
  const called = state.progress.called || parts.some(({ functionCall }) => functionCall !== undefined)
  return {
    parts,
    state: updateEncoder(state, { held: left, called, broken: listConcat(state.progress.broken, broken) }),
  }
}

function writeCall(call: PartCall, parts: ResponsePart[], broken: string[]): void {
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

export const hold = (state: EncoderState, held: readonly BufferedPart[]): EncoderState =>
  updateEncoder(state, { held: held.reduce(holdPart, state.progress.held) })

// ---------------------------------------------------------------- signatures

const withSeal = (state: EncoderState, signature: string, call: string | null): EncoderState =>
  updateEncoder(state, { seals: addSeal(state.progress.seals, signature, call) })

/**
 * Keeps an envelope of another vendor: it becomes the signature of the next part, and clients send it back unchanged.
 * Typed clients read a signature as bytes, so that it is base64.
 */
export const addEnvelope = (state: EncoderState, envelope: string): EncoderState =>
  withSeal(state, wrapEnvelope(envelope), null)

function sealCall(state: EncoderState, call: string, signature: string): EncoderState {
  // The upstream may have repeated the call to add its signature, so the call is held already.
  const held = call === '' ? null : signBufferedCall(state.progress.held, call, signature)
  return held === null ? withSeal(state, signature, call) : updateEncoder(state, { held })
}

function sealImage(state: EncoderState, mimeType: string, thoughtSignature: string): EncoderState {
  const held = signImage(state.progress.held, mimeType, thoughtSignature)
  return held === null ? hold(state, [loose(thoughtSignature)]) : updateEncoder(state, { held })
}

/** The code and its result. */
const PARTS_OF_A_STEP = 2

/** Holds whole parts of Google. They replace the parts built from the same code steps, which are the last ones held. */
function putParts(state: EncoderState, parts: readonly ResponsePart[]): EncoderState {
  const made = parts.filter(({ executableCode }) => executableCode !== undefined).length * PARTS_OF_A_STEP
  const raw = parts.map((part): BufferedPart => ({ kind: 'loose', part }))
  return updateEncoder(state, { held: raw.reduce(holdPart, dropSteps(state.progress.held, made)) })
}

/**
 * Applies the `encrypted_content` of a reasoning item. A signature of Google returns to where it came from (`Payload`):
 * to its call, its image, its own part, or an empty part after its text, which was already emitted.
 */
export function applySeal(state: EncoderState, encrypted: string, { open, seal }: EncryptedContentCodec): EncoderState {
  const payload = readPayload(open(encrypted))
  if (payload === null) return addEnvelope(state, seal(encrypted))
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
