import type { Dialect } from './dialect.ts'

/**
 * The standard Responses API: the names of the `openai` SDK, with every field that its clients and the Open Responses
 * schemas require. Raw reasoning is emitted as a summary, the one form that every client accepts and shows.
 */
export const openai: Dialect = {
  name: 'openai',
  items: [
    'message',
    'function_call',
    'reasoning',
    'custom_tool_call',
    'web_search_call',
    'file_search_call',
    'code_interpreter_call',
    'image_generation_call',
    'mcp_call',
    'mcp_list_tools',
    'mcp_approval_request',
    'shell_call',
    'shell_call_output',
    'local_shell_call',
    'apply_patch_call',
    'apply_patch_call_output',
    'computer_call',
    'tool_search_call',
    'tool_search_output',
    'program',
    'program_output',
    'compaction',
  ],
  parts: ['output_text', 'refusal', 'summary_text'],
  annotations: ['url_citation', 'file_citation'],
  fields: ['phase', 'caller', 'async'],
  infersPhases: true,
  offsets: 'utf16',
  summary: 'objects',
  cacheLifetimes: { '30m': 'ttl_30m_tokens', '12h': 'ttl_12h_tokens' },
  eventLines: true,
  numbered: true,
  toolChoices: 'open',
  inputItems: 'open',
  values: 'open',
  terminator: '[DONE]',
  exact: false,

  events: {
    created: [['response.created', 'response']],
    in_progress: [['response.in_progress', 'response']],
    'output_item.added': [['response.output_item.added', 'output_index', 'item']],
    'content_part.added': [['response.content_part.added', 'item_id', 'output_index', 'content_index', 'part']],
    'output_text.delta': [
      ['response.output_text.delta', 'item_id', 'output_index', 'content_index', 'delta', 'logprobs'],
    ],
    'output_text.done': [['response.output_text.done', 'item_id', 'output_index', 'content_index', 'text', 'logprobs']],
    'output_text.annotation.added': [
      [
        'response.output_text.annotation.added',
        'item_id',
        'output_index',
        'content_index',
        'annotation_index',
        'annotation',
      ],
    ],
    'content_part.done': [['response.content_part.done', 'item_id', 'output_index', 'content_index', 'part']],
    'refusal.delta': [['response.refusal.delta', 'item_id', 'output_index', 'content_index', 'delta']],
    'refusal.done': [['response.refusal.done', 'item_id', 'output_index', 'content_index', 'refusal']],
    'function_call_arguments.delta': [['response.function_call_arguments.delta', 'item_id', 'output_index', 'delta']],
    'function_call_arguments.done': [
      ['response.function_call_arguments.done', 'item_id', 'output_index', 'name', 'arguments'],
    ],
    'custom_tool_call_input.delta': [['response.custom_tool_call_input.delta', 'item_id', 'output_index', 'delta']],
    'custom_tool_call_input.done': [['response.custom_tool_call_input.done', 'item_id', 'output_index', 'input']],
    'reasoning_summary_part.added': [
      ['response.reasoning_summary_part.added', 'item_id', 'output_index', 'summary_index', 'part'],
    ],
    'reasoning_summary_text.delta': [
      ['response.reasoning_summary_text.delta', 'item_id', 'output_index', 'summary_index', 'delta'],
    ],
    'reasoning_summary_text.done': [
      ['response.reasoning_summary_text.done', 'item_id', 'output_index', 'summary_index', 'text'],
    ],
    'reasoning_summary_part.done': [
      ['response.reasoning_summary_part.done', 'item_id', 'output_index', 'summary_index', 'part'],
    ],
    'reasoning_text.delta': [['response.reasoning_text.delta', 'item_id', 'output_index', 'content_index', 'delta']],
    'reasoning_text.done': [['response.reasoning_text.done', 'item_id', 'output_index', 'content_index', 'text']],
    'web_search_call.in_progress': [['response.web_search_call.in_progress', 'item_id', 'output_index']],
    'web_search_call.searching': [['response.web_search_call.searching', 'item_id', 'output_index']],
    'web_search_call.completed': [['response.web_search_call.completed', 'item_id', 'output_index']],
    'item.progress': [['response.*', 'item_id', 'output_index', 'fields']],
    'output_item.done': [['response.output_item.done', 'output_index', 'item']],
    error: [['error', 'code', 'message', 'param', 'error']],
    completed: [['response.completed', 'response']],
    incomplete: [['response.incomplete', 'response']],
    failed: [['response.failed', 'response']],
  },

  views: {
    reasoning: ['type', 'id', 'summary', 'content?', 'encrypted_content?'],
    url_citation: ['type', 'url', 'title', 'start_index', 'end_index', 'content?'],
    file_citation: ['type', 'file_id', 'filename', 'index'],
    usage: ['input_tokens', 'input_tokens_details', 'output_tokens', 'output_tokens_details', 'total_tokens', 'cost?'],
  },
}

const withReasoningText = (dialect: Dialect): Dialect => ({ ...dialect, parts: [...dialect.parts, 'reasoning_text'] })

/** The same dialect, with raw reasoning in the standard's own form: `reasoning_text` parts. */
export const openaiReasoningText: Dialect = /* @__PURE__ */ withReasoningText(openai)
