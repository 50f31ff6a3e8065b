import { EMPTY_LIST, type List, listAppend, listToArray } from '../../../collections/list.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { ISSUED_ELSEWHERE, UNSUPPORTED_VALUE } from '../../../protocol/loss.ts'
import { isEnvelope, peekEnvelope } from '../../../responses/encrypted-content.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { fieldSet, pickKnown } from '../../../validation/known-fields.ts'
import type { EncryptedContentCodec } from '../../client-contract.ts'
import { leaveUnsupported, type RequestReader } from '../../shared/client/request-reader.ts'
import type { LocatedItem } from '../../shared/client/source-map.ts'
import type { ChatSignature } from '../json.ts'
import { envelopeMembers, readSealed, readSignature, signatureMembers } from '../sealed-reasoning.ts'

/** Signatures of calls that chat clients keep with the call (docs/wires/openai-chat.md, 5.3). */

// ---------------------------------------------------------------- answers

/** The signature of a call that has not come yet. `id`: empty for the next call. */
interface WaitingSignature {
  readonly id: string
  readonly members: ChatSignature
}

export type WaitingSignatures = List<WaitingSignature>

export const NO_SIGNATURES: WaitingSignatures = EMPTY_LIST

/**
 * Returns the signature of a call that encrypted content is; null if it is anything else. A signature that a vendor of
 * this wire issued is written in its own place, as its clients read it from the vendor itself. That of another wire is
 * written as its envelope: only this gateway reads it, and sends it to no other upstream.
 */
export function callSignatureOf(encrypted: string, codec: EncryptedContentCodec): WaitingSignature | null {
  const own = readSealed(codec.open(encrypted))
  if (own !== null) return own.on === 'call' ? { id: own.id, members: signatureMembers(own) } : null
  const payload = peekEnvelope(encrypted)
  if (!isObject(payload) || payload.on !== 'call' || !isNonEmptyString(payload.signature)) return null
  return { id: isNonEmptyString(payload.id) ? payload.id : '', members: envelopeMembers(encrypted) }
}

export const withSignature = (waiting: WaitingSignatures, one: WaitingSignature): WaitingSignatures =>
  listAppend(waiting, one)

/** The members of a call that begins, and the signatures that still wait. The last signature of a call counts. */
export function takeSignature(
  waiting: WaitingSignatures,
  callId: string | null,
): { readonly members: ChatSignature; readonly left: WaitingSignatures } {
  if (waiting === NO_SIGNATURES) return { members: {}, left: waiting }
  const all = listToArray(waiting)
  const isOwn = ({ id }: WaitingSignature): boolean => id === '' || id === callId
  const left = all.filter((one) => !isOwn(one)).reduce(withSignature, NO_SIGNATURES)
  return { members: all.findLast(isOwn)?.members ?? {}, left }
}

// ---------------------------------------------------------------- histories

/** Wires whose vendors sign calls as Google does, so that its signature of a chat client is theirs. */
const SIGNERS: ReadonlySet<string> = new Set(['openai-chat', 'gemini-generate', 'gemini-interactions'])

const EXTRA = fieldSet(['google', 'vertex'])
const FIELDS = fieldSet(['thought_signature'])

const fieldsIn = (called: unknown): unknown => (isObject(called) ? called.provider_specific_fields : undefined)

/** Reports members beside the signature. */
function readBeside(notes: RequestReader, path: string, call: JsonRecord): void {
  const { extra_content: extra, provider_specific_fields: fields, function: called } = call
  if (isObject(fields)) pickKnown(fields, FIELDS, `${path}.provider_specific_fields`, notes)
  const inner = fieldsIn(called)
  if (isObject(inner)) pickKnown(inner, FIELDS, `${path}.function.provider_specific_fields`, notes)
  if (!isObject(extra)) return
  const { google, vertex } = pickKnown(extra, EXTRA, `${path}.extra_content`, notes)
  if (isObject(google)) pickKnown(google, FIELDS, `${path}.extra_content.google`, notes)
  if (isObject(vertex)) pickKnown(vertex, FIELDS, `${path}.extra_content.vertex`, notes)
}

const toItem = (encrypted_content: string): JsonObject => ({
  type: 'reasoning',
  summary: [],
  content: [],
  encrypted_content,
})

function placeOf({ extra_content: extra, provider_specific_fields: fields, function: called }: JsonRecord): string {
  if (extra) return 'extra_content'
  if (fields) return 'provider_specific_fields'
  return fieldsIn(called) ? 'function.provider_specific_fields' : 'id'
}

/**
 * Decodes the signature of a call into the item that precedes it. An envelope stays as it is. A bare signature belongs
 * to the upstream of the request if that signs calls as Google does.
 */
export function decodeCallSignature(call: JsonRecord, path: string, notes: RequestReader): readonly LocatedItem[] {
  readBeside(notes, path, call)
  const found = readSignature(call)
  const place = placeOf(call)
  const at = `${path}.${place}`
  if (found === null) {
    const own = call.extra_content ?? call.provider_specific_fields ?? fieldsIn(call.function)
    if (own && !isObject(own)) leaveUnsupported(notes, at, UNSUPPORTED_VALUE)
    return []
  }
  const sealed = sealedOf(found, isNonEmptyString(call.id) ? call.id : '', notes)
  if (sealed === null && place === 'id') return []
  if (sealed === null) {
    leaveUnsupported(notes, at, ISSUED_ELSEWHERE)
    return []
  }
  return [{ item: toItem(sealed), path: at }]
}

function sealedOf(
  { place, signature }: NonNullable<ReturnType<typeof readSignature>>,
  id: string,
  { signer }: RequestReader,
): string | null {
  if (isEnvelope(signature)) return signature
  return signer === undefined || !SIGNERS.has(signer.wire) ? null : signer.seal({ on: 'call', id, place, signature })
}
