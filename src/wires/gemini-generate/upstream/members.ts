import type { Members } from '../../shared/upstream/answers/members.ts'

const CALL: Members = {
  read: ['id', 'name', 'args', 'willContinue'],
  inside: {
    partialArgs: {
      read: ['jsonPath', 'stringValue', 'numberValue', 'boolValue', 'nullValue'],
      ignored: { shown: ['willContinue'] },
    },
  },
}

const PART: Members = {
  read: ['text', 'thought', 'thoughtSignature'],
  inside: {
    functionCall: CALL,
    executableCode: { read: ['id', 'code'], ignored: { role: ['language'] } },
    codeExecutionResult: { read: ['id', 'outcome', 'output'] },
    toolCall: { read: ['id', 'toolType', 'args'] },
    toolResponse: { read: ['id', 'response'], ignored: { shown: ['toolType'] } },
    inlineData: { read: ['mimeType', 'data', 'displayName'] },
    fileData: { read: ['mimeType', 'fileUri', 'displayName'] },
  },
}

const SOURCE = ['uri', 'title', 'text'] as const

const GROUNDING: Members = {
  read: [
    'webSearchQueries',
    'searchEntryPoint',
    'googleMapsWidgetContextToken',
    'imageSearchQueries',
    'retrievalQueries',
    'sourceFlaggingUris',
  ],
  inside: {
    groundingChunks: {
      inside: {
        web: { read: SOURCE, ignored: { source: ['domain'] } },
        image: { read: [...SOURCE, 'sourceUri', 'imageUri'], ignored: { source: ['domain'] } },
        maps: { read: [...SOURCE, 'placeAnswerSources', 'route'], ignored: { source: ['placeId'] } },
        retrievedContext: {
          read: [...SOURCE, 'ragChunk', 'customMetadata', 'pageNumber', 'mediaId'],
          ignored: { source: ['documentName', 'fileSearchStore'] },
        },
      },
    },
    groundingSupports: {
      read: ['groundingChunkIndices', 'renderedParts'],
      inside: { segment: { read: ['text', 'startIndex', 'endIndex', 'partIndex'] } },
      ignored: { outside: ['confidenceScores'] },
    },
  },
  ignored: { outside: ['retrievalMetadata'] },
}

const SAFETY: Members = {
  read: ['blocked'],
  ignored: {
    filter: ['category', 'probability', 'probabilityScore', 'severity', 'severityScore', 'overwrittenThreshold'],
  },
}

const COUNT: Members = { read: ['modality', 'tokenCount'] }

const USAGE: Members = {
  read: [
    'promptTokenCount',
    'toolUsePromptTokenCount',
    'candidatesTokenCount',
    'thoughtsTokenCount',
    'totalTokenCount',
    'cachedContentTokenCount',
    'serviceTier',
    'trafficType',
  ],
  inside: {
    promptTokensDetails: COUNT,
    cacheTokensDetails: COUNT,
    candidatesTokensDetails: COUNT,
    toolUsePromptTokensDetails: COUNT,
  },
}

const CITATION: Members = { read: ['uri', 'license', 'publicationDate', 'title', 'startIndex', 'endIndex'] }

const CANDIDATE: Members = {
  read: ['index', 'finishReason', 'finishMessage', 'continuationToken'],
  inside: {
    content: { read: ['text'], inside: { parts: PART }, ignored: { role: ['role'] } },
    groundingMetadata: GROUNDING,
    urlContextMetadata: { inside: { urlMetadata: { read: ['retrievedUrl', 'urlRetrievalStatus'] } } },
    citationMetadata: { inside: { citations: CITATION, citationSources: CITATION } },
    safetyRatings: SAFETY,
    logprobsResult: { read: ['chosenCandidates', 'topCandidates'], ignored: { total: ['logProbabilitySum'] } },
  },
  ignored: { total: ['avgLogprobs', 'tokenCount'] },
}

const CHUNK: Members = {
  read: ['modelVersion', 'error'],
  inside: {
    candidates: CANDIDATE,
    usageMetadata: USAGE,
    promptFeedback: {
      read: ['blockReason'],
      ignored: { named: ['blockReasonMessage'], filter: ['safetyRatings'] },
    },
  },
  ignored: {
    id: ['responseId'],
    time: ['createTime'],
    outside: ['automaticFunctionCallingHistory', 'sdkHttpResponse'],
  },
}

/** The members of chunks and whole answers (docs/losses.md). */
export const MEMBERS = { frame: CHUNK, body: CHUNK } as const
