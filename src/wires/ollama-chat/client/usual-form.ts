import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { changeEntries } from '../../shared/passthrough/members.ts'
import { changingMembers, functionOf, hasValues, partOf, presentMembers } from '../../shared/passthrough/other-forms.ts'

/** Forms of other protocols in a body of Ollama's API (`shared/passthrough/other-forms.ts`). */

function usualTool(tool: Json): Json {
  if (!isObject(tool) || isObject(tool.function)) return tool
  const found = functionOf(tool as JsonObject)
  if (found === null || hasValues(found.inside) || hasValues(found.outside)) return tool
  const { name, description, schema } = found
  return { type: 'function', function: presentMembers({ name, description, parameters: schema }) }
}

const DATA_URL = /^data:[^,]{1,100};base64,/i

/** A list of texts and pictures is a text, and pictures beside it. Any other list stays, and is refused. */
function usualMessage(message: Json): Json {
  if (!isObject(message) || !Array.isArray(message.content)) return message
  const parts = (message.content as readonly Json[]).map(partOf)
  const texts = parts.flatMap((part) => (part?.kind === 'text' ? [part.text] : []))
  const images = parts.flatMap((part) =>
    part?.kind === 'image' && DATA_URL.test(part.url.slice(0, 200)) ? [part.url.replace(DATA_URL, '')] : [],
  )
  if (images.length === 0 || texts.length + images.length < parts.length) return message
  const given = Array.isArray(message.images) ? (message.images as readonly Json[]) : []
  return {
    ...(message as JsonObject),
    content: texts.filter(isNonEmptyString).join('\n'),
    images: [...given, ...images],
  }
}

/** Returns a body in the form of Ollama's API. O(n) for n parts. */
export const inOwnForm = changingMembers({
  messages: (messages) => changeEntries(messages, usualMessage),
  tools: (tools) => changeEntries(tools, usualTool),
})
