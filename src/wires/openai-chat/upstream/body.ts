import { isObject } from '../../../text/json.ts'
import type { BodyShape } from '../../body-contract.ts'
import { messageCalls, nestedFunctions, sentSchema } from '../../shared/upstream/sent-tools.ts'

/** The places and the rules of a body of Chat Completions. */
export const chatBody: BodyShape = {
  prompt: [['tools'], ['messages']],
  settings: {
    instructions: 'messages[0].content',
    max_output_tokens: ['max_completion_tokens', 'max_tokens'],
    'reasoning.effort': ['reasoning_effort', 'reasoning.effort', 'thinking', 'enable_thinking', 'thinking_budget'],
    'text.format': 'response_format',
    'text.format.name': 'response_format.json_schema.name',
    'text.format.schema': 'response_format.json_schema.schema',
    'text.verbosity': 'verbosity',
    include: 'logprobs',
  },
  functions: nestedFunctions,
  answerSchema({ response_format: given }) {
    const format = isObject(given) ? given.json_schema : undefined
    return isObject(format) ? sentSchema(format, 'schema', 'response_format.json_schema', format.strict === true) : null
  },
  calls: messageCalls,
  names: 'short',
  closedSchemas: true,
}
