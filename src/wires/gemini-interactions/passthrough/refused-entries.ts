import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { HubRules } from '../../passthrough-contract.ts'
import { OpenCallIds } from '../../shared/open-call-ids.ts'
import { isPresent } from '../../shared/passthrough/conditions.ts'

/**
 * The results of calls stand before the next input of the user. A step without an id is paired by the name of its
 * function.
 */
export const refusesInteractionEntries: NonNullable<HubRules['refusesEntries']> = () => {
  const open = new OpenCallIds()
  let isPaired = true
  return (step) => {
    const { type, id, call_id: callId } = step
    if (type === 'function_call') {
      if (isPresent(step.arguments) && !isObject(step.arguments)) return true
      isPaired &&= isNonEmptyString(id)
      return !open.add(id) && isPaired
    }
    if (type === 'function_result') return isPaired && isNonEmptyString(callId) && !open.take(callId)
    if (type !== 'user_input') return false
    return (isPaired && open.size > 0) || (Array.isArray(step.content) && step.content.length === 0)
  }
}
