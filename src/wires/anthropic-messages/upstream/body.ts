import type { JsonObject } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'
import type { BodyShape, BrokenRule } from '../../body-contract.ts'
import { CLOSED_BOUNDS } from '../../shared/upstream/schemas/close-schema.ts'
import { blockCalls, placedObjects, sentCall, sentFunction, sentSchema } from '../../shared/upstream/sent-tools.ts'

const brokenRules = ({ max_tokens: most }: JsonObject): readonly BrokenRule[] =>
  typeof most === 'number' ? [] : [{ path: 'max_tokens', message: 'required' }]

/** The places and the rules of a body of the Messages API. */
export const messagesBody: BodyShape = {
  prompt: [['tools'], ['system'], ['messages']],
  settings: {
    instructions: 'system[0].text',
    max_output_tokens: 'max_tokens',
    stop: 'stop_sequences',
    user: 'metadata.user_id',
    safety_identifier: 'metadata.user_id',
    parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
    'reasoning.effort': ['output_config.effort', 'thinking.budget_tokens', 'thinking'],
    'text.format': 'output_config.format',
    'text.format.schema': 'output_config.format.schema',
  },
  functions: (body) =>
    placedObjects(body.tools, 'tools').flatMap(([tool, path]) =>
      isObject(tool.input_schema) ? [sentFunction(tool, path, 'input_schema')] : [],
    ),
  answerSchema: ({ output_config: given }) =>
    sentSchema(isObject(given) ? given.format : undefined, 'schema', 'output_config.format', true),
  calls: blockCalls((block, path) => [
    ...(block.type === 'tool_use' ? sentCall('call', `${path}.id`, block.id) : []),
    ...(block.type === 'tool_result' ? sentCall('result', `${path}.tool_use_id`, block.tool_use_id) : []),
  ]),
  names: 'long',
  plainIds: true,
  callIds: 'unique',
  objectSchemas: true,
  closedSchemas: true,
  strictBounds: CLOSED_BOUNDS,
  brokenRules,
}
