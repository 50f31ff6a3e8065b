import type { BodyShape } from '../../body-contract.ts'
import { nestedFunctions } from '../../shared/upstream/sent-tools.ts'

/** The places and the rules of a body of Ollama’s chat API. */
export const ollamaBody: BodyShape = {
  prompt: [['tools'], ['messages']],
  settings: {
    instructions: 'messages[0].content',
    max_output_tokens: 'options.num_predict',
    temperature: 'options.temperature',
    top_p: 'options.top_p',
    presence_penalty: 'options.presence_penalty',
    frequency_penalty: 'options.frequency_penalty',
    stop: 'options.stop',
    'reasoning.effort': 'think',
    'text.format': 'format',
    include: 'logprobs',
  },
  functions: nestedFunctions,
  callIds: 'optional',
}
