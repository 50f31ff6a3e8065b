import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/protocol/json.ts'

const word = fc.constantFrom('a', 'user', 'type', 'text', 'role', 'a long text of the user', 'another long text')
const longer = fc.constantFrom(
  'a long text of the user, another long text',
  '{"a":"another long text"}',
  '[1,2]',
  'a long text of the user',
)
const name = fc.constantFrom('a', 'b', 'role', 'content', 'text', 'max_tokens', 'maxTokens', '__proto__', 'x y.z')
const scalar = fc.oneof(fc.constant(null), fc.boolean(), fc.integer({ min: 0, max: 3 }), word, longer)

/** Bodies of a few words, so that two of them have values in common. */
export const { object: jsonBodies } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 5, selector: ([key]) => key })
    .map((members) => JSON.parse(`{${members.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`)),
}))
