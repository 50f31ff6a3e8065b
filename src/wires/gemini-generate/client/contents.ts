import type { JsonObject } from '../../../protocol/json.ts'
import { EMPTY_MESSAGE } from '../../../protocol/loss.ts'
import { isObject, toArray } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { describeValue } from '../../../validation/messages.ts'
import type { DecodeContext } from '../../client-contract.ts'
import { dropField, rejectField } from '../../shared/client/request-reader.ts'
import { type LocatedConversation, type LocatedItem, toConversation } from '../../shared/client/source-map.ts'
import { createCallMatcher } from './calls.ts'
import { fieldNames, fieldPath, has, objectIn, objectsIn, only, type ReadFields, textField } from './fields.ts'
import { decodeUserPart, partsIn, readPartFields } from './parts.ts'
import { TurnBuilder } from './turns.ts'

const CONTENT = fieldNames(['role', 'parts'])

const ROLES: ReadonlySet<string> = new Set(['user', 'model', 'function', 'system'])

/** The roles of other protocols, which proxies and older programs send. */
const ROLES_OF_OTHERS: ReadonlyMap<string, string> = new Map([
  ['assistant', 'model'],
  ['tool', 'function'],
  ['developer', 'system'],
])

/** Returns the role of a content; `user` if it has none. */
function roleOf(content: ReadFields<'role'>): string {
  const given = textField(content, 'role')?.toLowerCase() ?? ''
  const role = ROLES_OF_OTHERS.get(given) ?? given
  if (role === '') return 'user'
  if (!ROLES.has(role))
    rejectField(content.notes, fieldPath(content, 'role'), `expected user or model, got ${describeValue(role)}`)
  return role
}

const isModel = (content: ReadFields | undefined): boolean =>
  content?.record.role === 'model' || content?.record.role === 'assistant'

/** The ids that the client has given to calls. */
const idsOfCalls = (contents: readonly ReadFields[]): ReadonlySet<unknown> =>
  new Set(
    contents.flatMap(({ record }) =>
      toArray(record.parts).flatMap((part) => {
        const call = isObject(part) ? (part.functionCall ?? part.function_call) : null
        return isObject(call) ? [call.id] : []
      }),
    ),
  )

const isEmpty = ({ record }: ReadFields): boolean => record.text === '' && record.thoughtSignature === undefined

/**
 * Decodes `contents` into `input`. Consecutive contents of the model are one turn, because clients store each chunk of
 * a stream as a content of its own.
 */
export function* decodeContents(
  body: ReadFields<'contents' | 'systemInstruction' | 'tools'>,
  context: DecodeContext,
): Steps<LocatedConversation> {
  const contents = objectsIn(body, 'contents')
  const isEnough = context.isFragment === true && (has(body, 'systemInstruction') || has(body, 'tools'))
  if (contents.length === 0 && !isEnough)
    rejectField(body.notes, 'contents', 'expected a list of contents that is not empty')
  const items: LocatedItem[] = []
  const calls = createCallMatcher(idsOfCalls(contents))
  const turns = new TurnBuilder(context, calls, items)

  const answer = (response: ReadFields): void => {
    const item = calls.answer(response)
    if (item !== null) items.push({ item, path: response.path })
  }

  const applyModel = (parts: readonly ReadFields[]): void => {
    for (const part of parts) {
      const response = objectIn(part, 'functionResponse')
      if (response === null) turns.add(part)
      else {
        readPartFields(part)
        turns.close()
        answer(response)
      }
    }
  }

  const applyOthers = (role: string, parts: readonly ReadFields[], path: string): void => {
    const state: { shown: JsonObject[]; partPaths: string[] } = { shown: [], partPaths: [] }
    const close = (): void => {
      const { shown: content, partPaths } = state
      state.shown = []
      state.partPaths = []
      if (content.length === 0 && parts.length > 0) return
      items.push({ item: { type: 'message', role: role === 'system' ? role : 'user', content }, path, partPaths })
    }
    for (const part of parts.map(readPartFields)) {
      const response = objectIn(part, 'functionResponse')
      const shown = response === null ? decodeUserPart(part) : null
      if (shown !== null) {
        state.shown.push(shown)
        state.partPaths.push(part.path)
      }
      if (response === null) continue
      close()
      answer(response)
    }
    close()
  }

  for (const [at, found] of contents.entries()) {
    const content = only(found, CONTENT)
    const role = roleOf(content)
    const parts = partsIn(content)
    if (role === 'model') {
      const isLone = !isModel(contents[at - 1]) && !isModel(contents[at + 1])
      if (isLone && parts.every(isEmpty)) dropField(found.notes, found.path, EMPTY_MESSAGE)
      applyModel(parts)
    } else {
      turns.endTurn()
      applyOthers(role, parts, found.path)
    }
    yield
  }
  turns.endTurn()
  return toConversation(items)
}
