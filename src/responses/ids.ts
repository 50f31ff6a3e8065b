import type { ItemType } from '../protocol/item.ts'

export const PREFIXES = {
  message: 'msg',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  reasoning: 'rs',
  web_search_call: 'ws',
  file_search_call: 'fs',
  code_interpreter_call: 'ci',
  image_generation_call: 'ig',
  mcp_call: 'mcp',
  mcp_list_tools: 'mcpl',
  mcp_approval_request: 'mcpr',
  shell_call: 'sh',
  shell_call_output: 'sho',
  local_shell_call: 'lsh',
  apply_patch_call: 'apc',
  apply_patch_call_output: 'apco',
  computer_call: 'cu',
  tool_search_call: 'ts',
  tool_search_output: 'tso',
  program: 'prg',
  program_output: 'prgo',
  compaction: 'cmp',
} satisfies Record<ItemType, string>

const stem = (responseId: string): string => responseId.replace(/^resp_/, '')

/**
 * Returns the id of the item at an index. It has no randomness, so that a resumed stream gives the item the same id.
 */
export const itemId = (type: ItemType, responseId: string, index: number): string =>
  `${PREFIXES[type]}_${stem(responseId)}_${index}`

/** Returns the id of a call whose upstream sent none, or one that is already used. */
export const callId = (responseId: string, index: number): string => `call_${stem(responseId)}_${index}`
