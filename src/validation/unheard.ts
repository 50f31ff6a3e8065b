import { dropped, type Loss } from '../protocol/loss.ts'
import { isObject } from '../text/json.ts'

/** Fields of other services that are known to ask for something; any other name may hold anything, and is not repeated. */
const KNOWN_ELSEWHERE = [
  'models',
  'top_k',
  'stop',
  'seed',
  'provider',
  'route',
  'modalities',
  'image_config',
  'stop_server_tools_when',
  'context_management',
  'moderation',
  'cache_control',
  'prompt_cache_options',
  'prompt_cache_retention',
  'session_id',
  'trace',
  'debug',
] as const

const isSaid = (value: unknown): boolean => value !== undefined && value !== null

/** What a right request asks for and this service has no word for. */
export function lossesOf(body: unknown): readonly Loss[] {
  if (!isObject(body)) return []
  const fields = KNOWN_ELSEWHERE.filter((name) => Object.hasOwn(body, name) && isSaid(body[name]))
  const options = isObject(body.stream_options) ? body.stream_options : {}
  return [
    ...fields.map((name) => dropped(name, 'this service does not know it')),
    ...(options.include_obfuscation === true
      ? [dropped('stream_options.include_obfuscation', 'this service pads nothing')]
      : []),
  ]
}
