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
const TIME = 'a measure of time'
const TOTAL = 'a part of the totals, which are carried'
const NAMED = 'the loss of the object around it names it'
const BRACKET = 'the gateway opens and closes items itself'
const PACKAGE = 'the package adds it, the body has no such member'
const ACCOUNTS = 'accounts of the router beside the price'
const both = (words: RegExp, why: string): WithoutEffect => ({ direction: 'both', words, why })

/** The first entry that matches gives the reason. Only words whose absence was measured to change nothing are looked up. */
export const WITHOUT_EFFECT: readonly WithoutEffect[] = [
  both(/\[UNKNOWN\]$|^Unknown\.|\.additionalProperties$/, PACKAGE),
  both(/\.caller\[direct\]$/, DEFAULT),
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
    /( = (auto|default|standard|unspecified|medium|in_memory|disabled|direct|summarized|MODE_UNSPECIFIED|5m|THINKING_LEVEL_UNSPECIFIED|TYPE_UNSPECIFIED|AUTO|text|false)|\[(auto|text|disabled)\])$/,
    DEFAULT,
  ),
  request(
    /^(ApplyPatchTool|FunctionShellTool)\.|^Local(Environment|Skill)\.|^ResponseInputItem\.(ApplyPatch|Shell)Call(Output)?\.|^(ApplyPatch|Shell)Call(Output)?Item(File)?\./,
    'the item or the tool is sent as a function or a message, which its own loss names',
  ),
  request(
    /^(ResponseInputItem\.)?AdditionalTools(Item\.role|ItemRole = |\.role)/,
    'the tools are the same for any role',
  ),
  request(
    /^Response(InputItem\.ToolSearchCall|ToolSearchOutputItemParam)\.execution/,
    'a search of the client has the id of its call',
  ),
  request(/^ToolSearchTool\.execution = server$/, DEFAULT),
  request(/^ToolSearchServerTool(Config)?\.\w+$/, 'nothing is searched, which the loss of the tool names'),
  request(/^ToolSearchOutputNamespaceTool\.Function\.defer_loading$/, 'a tool that was found is not deferred any more'),
  request(/PromptCacheOptions\.mode = implicit$/, DEFAULT),
  request(/FunctionCallOutput(Item)?\.(call_id|callId)$/, 'an output without it belongs to the only open call'),
  request(/FunctionCallOutput\.namespace$/, 'the call that it answers has it'),
  request(/\.store$/, 'nothing is stored'),
  request(/\.(id|status)( = \S+)?$|ToolCallStatus = \w+$/, 'items of the history are known by their calls'),
  request(/(\.name|Tool\d+\.name = \w+)$/, 'the type of the tool implies it'),
  request(/ = (completed|in_progress|incomplete)$/, 'items of the history are known by their calls'),
  request(/\.strict$/, 'the upstream always follows the schema'),
  request(/\[allowed_tools\]$|\.allowedFunctionNames$/, 'all tools are allowed in the sample'),
  request(
    /reasoning\.encrypted_content$|^Response(Includable|IncludesEnum) = (web_search_call|code_interpreter_call\.)/,
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
    /^ThinkingConfig\.includeThoughts$|^\w*Reasoning(Config)?\.summary( = \w+)?$|Summary\w* = (concise|detailed)$|^Reasoning\.(summary = |generate_summary)/,
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
  request(/^CacheControlEphemeral\.ttl = 5m$/, DEFAULT),
  request(/^Schema\.propertyOrdering$/, 'other upstreams keep the order of the properties as they are'),
  request(/^Schema\.nullable$/, 'false is the default, and true joins the types'),
  request(/^ThinkingConfig\.includeThoughts$/, 'models of Bedrock reason only on request'),
  // Answers.
  answer(/(_duration|[lL]atencyMs|\.metrics)$/, TIME),
  answer(
    /^(CacheDetail\.\w+|CacheTTL = \w+|TokenUsage\.cacheDetails|CacheCreation\.\w+|Usage\.cache_creation)$/,
    TOTAL,
  ),
  answer(/^PromptRouterTrace\.invokedModelId$/, NAMED),
  answer(/^ImageBlock\.error$/, 'an image with an error has no data, which is a loss'),
  answer(/^Citation\.text$/, 'repeats the text of the answer'),
  answer(/^(CitationType = TEXT_CONTENT|UrlRetrievalStatus = URL_RETRIEVAL_STATUS_SUCCESS)$/, DEFAULT),
  answer(
    /^GroundingChunkRetrievedContext\.(documentName|fileSearchStore)$|^GroundingChunkWeb\.domain$/,
    'the URL of the source is carried',
  ),
  answer(/^Message\.tool_name$/, 'only results of tools in requests have it'),
  answer(/^ChatContentStartEventDeltaMessageContent(\.type|Type = \w+)$/, 'the member of its text names it'),
  answer(/^(ChatMessageStartEventDelta\.message|V2ChatStreamResponse\.MessageStart\.delta)$/, BRACKET),
  answer(
    /^(LogprobItem\.\w+|V2ChatResponse\.logprobs|V2ChatStreamResponse\.ContentDelta\.logprobs)$/,
    'the gateway never requests them',
  ),
  answer(/^(Usage\.billedUnits|UsageBilledUnits\.\w+)$/, 'what is billed; the tokens are carried'),
  answer(/\.(cachedTokens|cachedContentTokenCount|output_tokens_details|thinking_tokens)$/, TOTAL),
  answer(/^ConversationRole = \w+$/, ISSUED),
  answer(
    /^ConverseStreamOutput\.(ContentBlockStopMember\.contentBlockStop|MessageStartMember\.messageStart)$/,
    BRACKET,
  ),
  answer(/Exception\.(name( = \w+)?|\$fault)$/, 'the package adds it, the frame has the type'),
  answer(
    /^(PerformanceConfigLatency = standard|(ServiceTierType = default)|ToolUseBlock\.caller\[direct\]|Usage\.(service_tier|speed) = standard|TrafficType = (ON_DEMAND|TRAFFIC_TYPE_UNSPECIFIED))$/,
    DEFAULT,
  ),
  answer(/^(ImageBlock\.format|ImageFormat = \w+)$/, 'the data of the image has its format'),
  answer(
    /^(CacheMiss\w+\.\w+|FallbackCreditNotApplied\.\w+( = \w+)?|CompactionContentBlockDelta\.\w+|RawContentBlockDelta\[compaction_delta\])$/,
    NAMED,
  ),
  answer(/^Fallback(Block|Info|RefusalTrigger)\.\w+( = \w+)?$/, NAMED),
  answer(
    /^Citation\w+Location\.(cited_text|end_\w+)$|^CitationsSearchResultLocation\.end_\w+$/,
    'the source belongs to the client, and the loss of its place names it',
  ),
  answer(
    /^Citations?\w*Location\.(search_result_index|cited_text|encrypted_index)$/,
    'identifies the source for Anthropic only',
  ),
  answer(
    /^(Message|RawMessageDeltaEvent\.Delta)\.container$|^Container\.expires_at$/,
    'code that ran names its container, which only its vendor can use',
  ),
  answer(
    /^(Message|RawMessageDeltaEvent\.Delta)\.stop_details$|^RefusalStopDetails\./,
    'read with the stop reason refusal',
  ),
  answer(/^(Message|RawMessageDeltaEvent\.Delta)\.stop_sequence$/, 'the loss of the stop reason names it'),
  answer(/^Message\.type$/, ISSUED),
  answer(/^RawMessageDeltaEvent\.delta$/, 'the usual end'),
  answer(/\.server_tool_use$|^ServerToolUsage\.\w+$/, 'the items of the searches are carried'),
  answer(/^ThinkingDelta\.estimated_tokens$/, 'an estimate; the usage has the count'),
  answer(/^Candidate\.(avgLogprobs|tokenCount)$|^LogprobsResult\.logProbabilitySum$/, 'computed from what is carried'),
  answer(/^LogprobsResultCandidate\.tokenId$/, 'the text of the token is carried'),
  answer(/^Candidate\.continuationToken$/, 'read with the finish reason CONTINUATION'),
  answer(
    /^(Candidate\.safetyRatings|GenerateContentResponsePromptFeedback\.safetyRatings|SafetyRating\.\w+|Harm\w+ = \w+)$/,
    'a rating that blocked nothing',
  ),
  answer(/^BlockedReason = BLOCKED_REASON_UNSPECIFIED$/, DEFAULT),
  answer(/^GenerateContentResponsePromptFeedback\.blockReasonMessage$/, 'the loss of the reason names it'),
  answer(/^(ExecutableCode\.language|Language = \w+)$/, 'Google runs no other language than Python'),
  both(/^(FunctionCall|PartialArg)\.willContinue$/, 'the pieces of the arguments are joined'),
  answer(/^Part\.thought$/, 'marks the text beside it, which becomes reasoning'),
  answer(/\.initialPromptTokenCount$/, TOTAL),
  answer(/^MediaModality = \w+$/, 'a kind without tokens of its own'),
  answer(
    /^(GroundingSupport\.(confidenceScores|renderedParts)|Segment\.partIndex|RetrievalMetadata\.\w+|GroundingMetadata\.retrievalMetadata)$/,
    'a score, or a number of a part; the citation is carried',
  ),
  answer(/^GroundingChunkMaps\.placeId$/, 'the URL of the place is carried'),
  answer(
    /^(GroundingChunkMaps(Place|Route)\w*|RagChunk\w*|GroundingChunkCustomMetadata|GroundingChunkStringList|GroundingMetadataSourceFlaggingUri|ModelStatus|GoogleTypeDate)\.\w+$|^ModelStage = \w+$/,
    NAMED,
  ),
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
  answer(/^(Response\.output_text|OpenResponsesResult\.outputText)$/, 'repeats the text of the items'),
  answer(
    /^(ChatCompletion\.metadata|Response\.(prompt_cache_options|access_programs|image|PromptCacheOptions\..*|AccessPrograms\..*|Image\..*)|OpenResponsesResult\.promptCacheOptions|PromptCacheOptions\..*|Truncation = \w+)$/,
    ECHO,
  ),
  answer(
    /^(AnthropicCacheControlTtl = \w+|ChatContentCacheControl\.ttl|ChatContentText\.(cacheControl|promptCacheBreakpoint)|PromptCacheBreakpoint\.mode.*|ChatAssistantMessage\.(model|name))$/,
    'only messages of requests have it, which share the type',
  ),
  answer(/Audio(Output)?\.(expires_at|expiresAt)$|\[response\.audio\.(transcript\.)?done\]$/, NAMED),
  answer(/(service_tier|ServiceTier) = default$/, 'the usual tier'),
  answer(/^ChatCompletionChunk\.model$|^ChatStreamChunk\.model$/, 'the gateway names the model of the request'),
  answer(/TokensDetails\.text_tokens$/, 'alone it is the whole count'),
  answer(/ogprob\.bytes$/, 'the text of the token has them'),
  answer(
    /^ApiErrorType = (image_\w+|invalid_image|unsupported_image_format|invalid_request|not_found|payload_too_large|precondition_failed|provider_unavailable|refusal|server|unmapped|unprocessable)$|^ChatStreamChunkError\.code$|^ChatStreamChunkMetadata\.providerCode$/,
    'a failure inside an answer that began is one of the upstream; its message has the reason',
  ),
  answer(
    /^ApiErrorType = (authentication|permission_denied)$/,
    'the key of the gateway failed, not the one of the client',
  ),
  answer(/^CodeEnum = server_error$|^ResponseError\.code = server_error$/, 'a failure without a code is one'),
  answer(
    /^((CodeEnum|ApiErrorType) = \w+|ChatStreamChunkError\.metadata|ChatStreamChunkMetadata\.errorType|OpenResponsesResult\.errorType|ResponsesErrorField\.code|ResponseError\.code.*)$/,
    'the failures of Ollama are a message alone',
  ),
  answer(/^ResponseError\.type$/, 'the code of the failure is more exact'),
  answer(/^ResponseOutputItem\.McpCall\.approval_request_id$/, 'the client approved the call in its request'),
  answer(/\.phase = final_answer$/, 'the usual phase'),
  answer(/^(Response)?Error(Event)?\.param$/, 'a path in the body of the upstream, which the client did not write'),
  answer(/\.(isByok|costDetails)$|^(Usage)?CostDetails\./, ACCOUNTS),
  answer(/^ServerToolUseDetails\.webSearchRequests$|\.serverToolUseDetails$/, 'each search is an item of its own'),
  answer(/ItemStatus = \w+$|ResponseStatus = \w+$/, ISSUED),
  answer(/\.container_id$|\.containerId$/, 'an address in the upstream, which no other client can use'),
  answer(
    /ImageGeneration(Call|CallItem)\.(action|background|output_format|quality|size)( = \w+)?$|^ImageGenerationStatus = /,
    'describes the image, which the client receives',
  ),
  answer(
    /^(OutputReasoningItem|ReasoningDetail\w+)\.format$/,
    'names the format of sealed reasoning, which is sealed with it',
  ),
  answer(/^OutputItems\[web_search_call\]$/, 'a search without its action has no content'),
  answer(/^ContentPartAddedEvent\.part/, BRACKET),
  answer(
    /^(ApplyPatchCallOperationDiff(Delta|Done)Event\.\w+|CodeInterpreterCallCodeDeltaEvent\.delta|ImageGenCallPartialImageEvent\.\w+|FunctionCallArgsDoneEvent\.name|StreamEvents\[response\.content_part\.done\])$/,
    FINISHED,
  ),
  answer(
    /(DEFAULT|FINISH_REASON_UNSPECIFIED|FinishReason = STOP|StopReason = (end_turn|tool_use)|finish_reason = (stop|tool_calls|function_call)|IncompleteDetails(\.r|R)eason = max_output_tokens|FinishReasonEnum = (stop|tool_calls))$/,
    'the usual end',
  ),
]
