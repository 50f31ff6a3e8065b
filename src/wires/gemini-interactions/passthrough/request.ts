import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { RequestPassthrough } from '../../passthrough-contract.ts'
import { isPresent, memberObjects } from '../../shared/passthrough/conditions.ts'
import { gatewayMembers, lossless } from '../../shared/passthrough/edits.ts'
import { withSmallSeed } from '../../shared/passthrough/google-seed.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { openTexts } from '../../shared/passthrough/sealed-texts.ts'
import { interactionSealedTexts } from '../sealed-texts.ts'
import { isMadeId, STATE_MEMBERS, STATE_SETTINGS, withoutCollection } from '../terms.ts'
import { refusesInteractionEntries } from './refused-entries.ts'

const modelName = lossless((body, { model }) => withMember(body, 'model', withoutCollection(model)))

/** Left out, the setting means that Google stores the answer. */
const storesNothing = lossless((body) => withMember(body, 'store', false))

/** Whether a turn calls a function without a signature before: Google refuses such calls, which other models made. */
function hasUnsignedCall(body: JsonRecord): boolean {
  let isSigned = false
  for (const { type, signature } of memberObjects(body, 'input')) {
    if (type === 'thought' || isNonEmptyString(signature)) isSigned = true
    else if (type === 'user_input' || type === 'function_result') isSigned = false
    else if (type === 'function_call' && !isSigned) return true
  }
  return false
}

/** Turns with roles belong to an older form of the protocol. */
export const hasTurns = ({ input }: JsonRecord): boolean =>
  isObject(input) ||
  memberObjects({ input }, 'input').some(({ type, role }) => type === undefined && role !== undefined)

/** Stored interactions belong to the account of the operator: the hub refuses them, and drops their settings. */
const needsState = (body: JsonRecord): boolean =>
  body.background === true ||
  STATE_MEMBERS.some((name) => isPresent(body[name]) && body[name] !== '') ||
  STATE_SETTINGS.some((name) => isPresent(body[name]))

export const interactionRequests: RequestPassthrough = {
  rules: {
    history: 'input',
    settings: (body) => needsState(body) || hasUnsignedCall(body) || hasTurns(body),
    entry: ({ id, call_id: callId }) => isMadeId(id ?? callId),
    refusesEntries: refusesInteractionEntries,
    mendOwn: withSmallSeed,
  },
  edits: {
    model: modelName,
    'members of the gateway': gatewayMembers,
    'opened envelopes': openTexts(interactionSealedTexts),
    'nothing stored': storesNothing,
    'size of the seed': withSmallSeed,
  },
}
