import type { BodyShape } from '../../body-contract.ts'
import { messageCalls, nestedFunctions } from '../../shared/upstream/sent-tools.ts'

/** The places and the rules of a body of Cohere’s Chat API. */
export const cohereBody: BodyShape = {
  prompt: [['tools'], ['documents'], ['messages']],
  settings: {
    instructions: 'messages[0].content',
    max_output_tokens: 'max_tokens',
    top_p: 'p',
    stop: 'stop_sequences',
    'reasoning.effort': ['thinking.token_budget', 'thinking'],
    'text.format': 'response_format',
    'text.format.schema': 'response_format.json_schema',
  },
  functions: nestedFunctions,
  calls: messageCalls,
  names: 'short',
}
