import type { JsonObject } from '../../protocol/json.ts'
import type { BodyShape } from '../../wires/body-contract.ts'
import type { Complaint } from './explanation.ts'

/**
 * Finds values of a body that its upstream refuses and that no rule mends (`engine/rules/`): most of them are missing
 * members of a client's own body, which stays as it is.
 */
export const complaintsAbout = (
  body: JsonObject,
  { brokenRules }: Pick<BodyShape, 'brokenRules'>,
): readonly Complaint[] => brokenRules?.(body) ?? []
