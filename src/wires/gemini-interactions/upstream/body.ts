import type { BodyShape } from '../../body-contract.ts'
import { flatFunctions, placedObjects, sentCall } from '../../shared/upstream/sent-tools.ts'

/** The places and the rules of a body of the Interactions API. */
export const interactionsBody: BodyShape = {
  prompt: [['system_instruction'], ['tools'], ['input']],
  settings: {
    instructions: 'system_instruction',
    max_output_tokens: 'generation_config.max_output_tokens',
    temperature: 'generation_config.temperature',
    top_p: 'generation_config.top_p',
    stop: 'generation_config.stop_sequences',
    tool_choice: 'generation_config.tool_choice',
    'reasoning.effort': 'generation_config.thinking_level',
    'reasoning.summary': 'generation_config.thinking_summaries',
    'text.format': 'response_format',
    'text.format.schema': 'response_format.schema',
  },
  functions: flatFunctions,
  calls: ({ input }) =>
    placedObjects(input, 'input').flatMap(([step, path]) => {
      if (step.type === 'function_call') return sentCall('call', `${path}.id`, step.id)
      return step.type === 'function_result' ? sentCall('result', `${path}.call_id`, step.call_id) : []
    }),
  names: 'google',
}
