import type { HostedItem, Item } from '../../protocol/item.ts'
import { openUnsealed } from '../../responses/encrypted-content.ts'
import { readPayload } from './payloads.ts'

/** Whether a reasoning item holds the steps of Google's tools. */
function holdsSteps(item: Item | undefined): boolean {
  if (item?.type !== 'reasoning' || item.encrypted_content === null) return false
  return readPayload(openUnsealed(item.encrypted_content))?.on === 'steps'
}

/** Whether clients receive a tool that Google ran as Google's own steps, which follow its item. */
export function hasOwnSteps(item: HostedItem, output: readonly Item[]): boolean {
  const at = output.indexOf(item)
  const next = output
    .slice(at + 1)
    .find(({ type }) => type === 'reasoning' || type === 'message' || type === 'function_call')
  return at >= 0 && holdsSteps(next)
}
