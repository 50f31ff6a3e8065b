import type { Json, JsonObject } from '../protocol/json.ts'
import type { Response } from '../protocol/response.ts'
import type { Steps } from '../text/steps.ts'
import type { Dialect } from './dialect.ts'
import { fieldsOf, isListOfObjects, projectField, projectObject } from './projection.ts'
import { isLong } from './spell-long.ts'

/** Entries of a list that are projected in one slice. */
const ENTRIES = 64

/** Returns the whole response object, the answer to a request without `stream`, in slices. */
export function* viewResponseInSteps(dialect: Dialect, response: Response): Steps<JsonObject> {
  return isLong(response)
    ? yield* viewLong(dialect, response, 'response')
    : projectObject(dialect, response, 'response')
}

function* viewLong(dialect: Dialect, value: object, name: string): Steps<JsonObject> {
  const shown: [string, Json][] = []
  for (const {
    field: { key },
    inner,
    isOurs,
  } of fieldsOf(dialect, value, name)) {
    if (isOurs && isListOfObjects(key, inner) && isLong(inner)) shown.push([key, yield* viewLongList(dialect, inner)])
    else shown.push([key, isOurs ? projectField(dialect, key, inner) : inner])
  }
  return Object.fromEntries(shown)
}

function* viewLongList(dialect: Dialect, values: readonly JsonObject[]): Steps<readonly Json[]> {
  const shown: JsonObject[] = []
  for (const value of values) {
    shown.push(isLong(value) ? yield* viewLong(dialect, value, '') : projectObject(dialect, value, ''))
    if (shown.length % ENTRIES === 0) yield
  }
  return shown
}
