/** Words that an answer or a request does not need, and the reason. */
interface WithoutEffect {
  readonly direction: 'request' | 'answer' | 'both'
  readonly words: RegExp
  readonly why: string
}

const request = (words: RegExp, why: string): WithoutEffect => ({ direction: 'request', words, why })
const answer = (words: RegExp, why: string): WithoutEffect => ({ direction: 'answer', words, why })

const DEFAULT = 'the default'
const ISSUED = 'the gateway issues its own ids, indices, times and states'
const FINISHED = 'the finished item has it'
const ECHO = 'repeats the request, as the gateway does itself'
const BRACKET = 'the gateway opens and closes items itself'

/** The first entry that matches gives the reason. Only words whose absence was measured to change nothing are looked up. */
export const WITHOUT_EFFECT: readonly WithoutEffect[] = [
  // Requests.
  request(
    /^(\w+\.model|\w*Model = \*|GenerateContentParameters\.model)$/,
    'the upstream receives its own name of the model',
  ),
  request(
    /\.stream( = (true|false))?$|\.(includeUsage|include_usage|streamOptions)$/,
    'the path or the framing decides',
  ),
  request(
    /( = (auto|default|standard|unspecified|medium|in_memory|disabled|direct|summarized|MODE_UNSPECIFIED|THINKING_LEVEL_UNSPECIFIED|TYPE_UNSPECIFIED|AUTO|text|false)|\[(auto|text|disabled)\])$/,
    DEFAULT,
  ),
  request(/\.store$/, 'nothing is stored'),
  request(/\.(id|status)( = \S+)?$|ToolCallStatus = \w+$/, 'items of the history are known by their calls'),
  request(/(\.name|Tool\d+\.name = \w+)$/, 'the type of the tool implies it'),
  request(/ = (completed|in_progress|incomplete)$/, 'items of the history are known by their calls'),
  request(/\.strict$/, 'the upstream always follows the schema'),
  request(/\[allowed_tools\]$|\.allowedFunctionNames$/, 'all tools are allowed in the sample'),
  request(
    /reasoning\.encrypted_content$|^ResponseIncludable = web_search_call|^ResponseIncludesEnum = web_search_call/,
    'answers always have it',
  ),
  request(
    /^ReasoningEffort = none$|Effort = none$|^ThinkingConfigParam\[disabled\]$/,
    'models of Bedrock reason only on request',
  ),
  request(/^(Schema\.type|Type = \w+)$/, 'the schema of the arguments is an object'),
  request(/(Truncation = auto|\.truncation)( = auto)?$/, 'Ollama truncates by itself'),
  request(/engine( = native)?$|Engine(Enum)? = native$/i, 'the upstream searches itself'),
  request(/^GenerateContentConfig\.logprobs$/, 'without responseLogprobs it requests nothing'),
  request(/^PlainTextSource\.media_type/, 'the only type'),
  request(
    /^\w*Reasoning(Config)?\.summary( = \w+)?$|Summary\w* = (concise|detailed)$|^Reasoning\.summary = /,
    'Claude on Bedrock summarizes whenever it reasons',
  ),
  request(
    /Reasoning(Item)?\.(content|encrypted_content|encryptedContent)$|^ResponseReasoningItem\.(content|encrypted_content)$/,
    'the summary of the item is sent',
  ),
  request(/\.(sessionId|trace)$|^TraceConfig\./, 'the gateway reads it itself'),
  request(
    /^ResponseInputFileContent\.(file_id|filename)$/,
    'the sample has the URL of the file, which takes precedence',
  ),
  // Answers.
  answer(
    /^GenerateContentResponse\.(automaticFunctionCallingHistory|sdkHttpResponse)$/,
    'the package adds it, the body has no such member',
  ),
  answer(
    /\.(id|item_id|itemId|object|created|created_at|createdAt|completed_at|completedAt|sequence_number|sequenceNumber|output_index|outputIndex|content_index|contentIndex|summary_index|summaryIndex|annotation_index|annotationIndex|index|role|responseId|createTime|contentBlockIndex|tool_use_id|call_id)$/,
    ISSUED,
  ),
  answer(/ = (assistant|response|chat\.completion|chat\.completion\.chunk|model|message)$/, ISSUED),
  answer(/\.status( = \S+)?$/, ISSUED),
  answer(/(\.obfuscation|\.total_tokens|\.totalTokens|\.totalTokenCount)$/, 'computed, or padding'),
  answer(/Event\.(logprobs|part|code|arguments|text|refusal)$/, FINISHED),
  answer(
    /^(Open)?Response(sResult)?\.(background|instructions|max_output_tokens|maxOutputTokens|max_tool_calls|maxToolCalls|metadata|parallel_tool_calls|parallelToolCalls|previous_response_id|previousResponseId|prompt|prompt_cache_key|promptCacheKey|prompt_cache_retention|reasoning|safety_identifier|safetyIdentifier|store|temperature|text|tool_choice|toolChoice|tools|top_logprobs|topLogprobs|top_p|topP|truncation|user|conversation|presencePenalty|frequencyPenalty)( = \S+)?$/,
    ECHO,
  ),
  answer(
    /^(RawMessageStreamEvent\[(content_block_stop|message_stop)\]|V2ChatStreamResponse\[(message-start|content-end|tool-call-end|citation-end)\]|ConverseStreamOutput\[(messageStart|contentBlockStop)\])$/,
    BRACKET,
  ),
  answer(
    /^(ResponseStreamEvent|StreamEvents)\[response\.(created|queued|in_progress|output_item\.added|content_part\.added|reasoning_summary_part\.added)\]$/,
    BRACKET,
  ),
  answer(
    /^Response(Created|Queued|InProgress)Event\.response$|^ResponseContentPartAddedEvent\.part|^ResponseContentPartAddedEvent\.ReasoningText\.text$|^ResponseReasoningSummaryPartAddedEvent\.Part\.text$|^OpenResponses(Created|InProgress)Event\.response$/,
    BRACKET,
  ),
  answer(
    /^(ResponseStreamEvent|StreamEvents)\[response\.(code_interpreter_call|code_interpreter_call_code|compaction|file_search_call|image_generation_call|mcp_call|mcp_call_arguments|mcp_list_tools|shell_call_command|shell_call_output_content|web_search_call|apply_patch_call_operation_diff)\.\w+\]$/,
    FINISHED,
  ),
  answer(
    /^Response(CodeInterpreterCall|ImageGenCall|ShellCall|McpCall|FileSearchCall|WebSearchCall|McpListTools|CompactionCompacting)\w*Event\./,
    FINISHED,
  ),
  answer(/^ResponseOutputTextAnnotationAddedEvent\./, 'the text part has it'),
  answer(/^Response\.output_text$/, 'repeats the text of the items'),
  answer(
    /(DEFAULT|FINISH_REASON_UNSPECIFIED|FinishReason = STOP|StopReason = (end_turn|tool_use)|finish_reason = (stop|tool_calls|function_call)|FinishReasonEnum = (stop|tool_calls))$/,
    'the usual end',
  ),
]
