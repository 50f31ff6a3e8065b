import { isObject } from '../../../text/json.ts'
import type { BodyShape } from '../../body-contract.ts'
import { blockCalls, placedObjects, sentCall, sentSchema } from '../../shared/upstream/sent-tools.ts'

/** The places and the rules of a body of Converse. */
export const converseBody: BodyShape = {
  prompt: [['toolConfig', 'tools'], ['system'], ['messages']],
  settings: {
    instructions: 'system[0].text',
    max_output_tokens: 'inferenceConfig.maxTokens',
    temperature: 'inferenceConfig.temperature',
    top_p: 'inferenceConfig.topP',
    stop: 'inferenceConfig.stopSequences',
    metadata: 'requestMetadata',
    tool_choice: 'toolConfig.toolChoice',
    'text.format.schema': 'outputConfig.textFormat.structure.jsonSchema.schema',
    service_tier: 'serviceTier.type',
  },
  functions: ({ toolConfig }) =>
    placedObjects(isObject(toolConfig) ? toolConfig.tools : [], 'toolConfig.tools').flatMap(([{ toolSpec }, path]) => {
      if (!isObject(toolSpec)) return []
      const own = `${path}.toolSpec`
      const parameters = sentSchema(toolSpec.inputSchema, 'json', `${own}.inputSchema`, toolSpec.strict === true)
      return [{ namePath: `${own}.name`, name: toolSpec.name, parameters }]
    }),
  calls: blockCalls(({ toolUse, toolResult }, path) => [
    ...(isObject(toolUse) ? sentCall('call', `${path}.toolUse.toolUseId`, toolUse.toolUseId) : []),
    ...(isObject(toolResult) ? sentCall('result', `${path}.toolResult.toolUseId`, toolResult.toolUseId) : []),
  ]),
  names: 'short',
  plainIds: true,
  objectSchemas: true,
}
