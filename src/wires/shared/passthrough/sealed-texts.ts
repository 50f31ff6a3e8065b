import type { Json, JsonObject } from '../../../protocol/json.ts'
import { unwrapEnvelope } from '../../../responses/encrypted-content.ts'
import { mapSteps, SEARCHED_ENTRIES, type Steps } from '../../../text/steps.ts'
import type { SealedTexts } from '../../client-contract.ts'
import type { EditAnswer, EditBody, EditContext, EditedBody } from '../../passthrough-contract.ts'
import { mapAllTexts } from '../sealed-texts.ts'
import { withMember } from './members.ts'

/** Puts each text that only its issuer can read in an envelope, where another account may answer the next request. */
export const sealTexts =
  ({ inAnswer, wrap = (envelope) => envelope }: SealedTexts): EditAnswer =>
  (value, { sealText }) =>
    sealText === null ? value : inAnswer(value, (text) => wrap(sealText(text)))

/** Returns the text in an envelope that may be opened; undefined for any other text. */
export function openText(given: string, open: EditContext['open']): string | undefined {
  const envelope = unwrapEnvelope(given)
  const payload = envelope === undefined ? undefined : open(envelope)
  return typeof payload === 'string' ? payload : undefined
}

/** Puts these texts back in the place of the envelopes that this upstream's own account has filled. */
export const openTexts =
  ({ history }: SealedTexts): EditBody =>
  (body, { open, hasEnvelopes }) =>
    hasEnvelopes ? openEntries(body, history, (text) => openText(text, open) ?? text) : { body, losses: [] }

function* openEntries(body: JsonObject, history: string, change: (text: string) => string): Steps<EditedBody> {
  const entries = body[history]
  if (!Array.isArray(entries)) return { body, losses: [] }
  const opened = yield* mapSteps(entries as readonly Json[], (entry) => mapAllTexts(entry, change), SEARCHED_ENTRIES)
  const isSame = opened.every((entry, at) => entry === entries[at])
  return { body: isSame ? body : withMember(body, history, opened), losses: [] }
}
