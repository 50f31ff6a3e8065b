import { isObject } from '../../../text/json.ts'
import type { BodyShape } from '../../body-contract.ts'
import { flatFunctions, placedObjects, sentCall, sentSchema } from '../../shared/upstream/sent-tools.ts'

/** The places and the rules of a body of the Responses API. */
export const responsesBody: BodyShape = {
  prompt: [['tools'], ['instructions'], ['input']],
  settings: {},
  functions: flatFunctions,
  answerSchema({ text }) {
    const format = isObject(text) ? text.format : undefined
    return isObject(format) ? sentSchema(format, 'schema', 'text.format', format.strict === true) : null
  },
  calls: ({ input }) =>
    placedObjects(input, 'input').flatMap(([item, path]) => {
      if (item.type === 'function_call' || item.type === 'custom_tool_call')
        return sentCall('call', `${path}.call_id`, item.call_id)
      const isOutput = item.type === 'function_call_output' || item.type === 'custom_tool_call_output'
      return isOutput ? sentCall('result', `${path}.call_id`, item.call_id) : []
    }),
  names: 'short',
  keepsOrder: true,
  closedSchemas: true,
}
