import type { JsonObject } from '../../../protocol/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { said } from '../../../validation/messages.ts'
import type { Asking } from '../../client-contract.ts'
import { type Conversation, type PlacedItem, toConversation } from '../../shared/client/source-map.ts'
import { openCalls } from './calls.ts'
import { decodeUserPart, partsIn, toPart } from './parts.ts'
import { either, type Fields, objectIn, objectsIn, only, placeOf, textIn, wrong } from './reader.ts'
import { openTurns } from './turns.ts'

const CONTENT = either(['role', 'parts'])

const ROLES: ReadonlySet<string> = new Set(['user', 'model', 'function', 'system'])

/** Returns the role of a content; `user` if it has none. */
function roleOf(content: Fields<'role'>): string {
  const role = textIn(content, 'role')?.toLowerCase() ?? ''
  if (role === '') return 'user'
  if (!ROLES.has(role)) wrong(content.notes, placeOf(content, 'role'), `expected user or model, got ${said(role)}`)
  return role
}

/**
 * Decodes `contents` into `input`. Consecutive contents of the model are one turn, because clients store each chunk of
 * a stream as a content of its own.
 */
export function* decodeContents(body: Fields<'contents'>, asking: Asking): Steps<Conversation> {
  const contents = objectsIn(body, 'contents')
  if (contents.length === 0) wrong(body.notes, 'contents', 'expected a list of contents that is not empty')
  const items: PlacedItem[] = []
  const calls = openCalls()
  const turns = openTurns(asking, calls, items)

  const answer = (response: Fields): void => {
    const item = calls.answer(response)
    if (item !== null) items.push({ item, place: response.place })
  }

  const hearModel = (parts: readonly Fields[]): void => {
    for (const part of parts) {
      const response = objectIn(part, 'functionResponse')
      if (response === null) turns.hear(part)
      else {
        toPart(part)
        turns.close()
        answer(response)
      }
    }
  }

  const hearOthers = (role: string, parts: readonly Fields[], place: string): void => {
    const state: { shown: JsonObject[] } = { shown: [] }
    const close = (): void => {
      const content = state.shown
      state.shown = []
      if (content.length === 0) return
      items.push({ item: { type: 'message', role: role === 'system' ? role : 'user', content }, place })
    }
    for (const part of parts.map(toPart)) {
      const response = objectIn(part, 'functionResponse')
      const shown = response === null ? decodeUserPart(part) : null
      if (shown !== null) state.shown.push(shown)
      if (response === null) continue
      close()
      answer(response)
    }
    close()
  }

  for (const found of contents) {
    const content = only(found, CONTENT)
    const role = roleOf(content)
    const parts = partsIn(content)
    if (role === 'model') hearModel(parts)
    else {
      turns.close()
      hearOthers(role, parts, found.place)
    }
    yield
  }
  turns.close()
  return toConversation(items)
}
