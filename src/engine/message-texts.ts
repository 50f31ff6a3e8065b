import { listToArray } from '../collections/list.ts'
import { commitActivePart, type RespondState } from '../responses/state.ts'

/** The texts of the messages of an answer so far. */
export const messageTexts = (state: RespondState): readonly string[] =>
  listToArray(commitActivePart(state).items).flatMap(({ type, parts, item }) => {
    if (type !== 'message') return []
    if (item === null) return [joinedText(listToArray(parts))]
    return item.type === 'message' ? [joinedText(item.content.flatMap((part) => ('text' in part ? [part] : [])))] : []
  })

const joinedText = (parts: readonly { readonly text: string }[]): string => parts.map(({ text }) => text).join('')
