import type { Members } from '../../shared/upstream/answers/members.ts'
import { WHY } from '../../shared/upstream/answers/reasons.ts'

const CALL: Members = {
  read: ['id', 'name', 'args', 'willContinue'],
  inside: {
    partialArgs: {
      read: ['jsonPath', 'stringValue', 'numberValue', 'boolValue', 'nullValue'],
      ignored: { willContinue: 'the next piece has the same path' },
    },
  },
}

const PART: Members = {
  read: ['text', 'thought', 'thoughtSignature'],
  inside: {
    functionCall: CALL,
    executableCode: { read: ['id', 'code'], ignored: { language: 'the only language is Python' } },
    codeExecutionResult: { read: ['id', 'outcome', 'output'] },
    toolCall: { read: ['id', 'toolType', 'args'] },
    toolResponse: { read: ['id', 'response'], ignored: { toolType: 'the call has it' } },
    inlineData: { read: ['mimeType', 'data', 'displayName'] },
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
        web: { read: SOURCE, ignored: { domain: WHY.source } },
        image: { read: [...SOURCE, 'sourceUri', 'imageUri'], ignored: { domain: WHY.source } },
        maps: { read: [...SOURCE, 'placeAnswerSources', 'route'], ignored: { placeId: WHY.source } },
        retrievedContext: {
          read: [...SOURCE, 'ragChunk', 'customMetadata', 'pageNumber', 'mediaId'],
          ignored: { documentName: WHY.source, fileSearchStore: WHY.source },
        },
      },
    },
    groundingSupports: {
      read: ['groundingChunkIndices', 'renderedParts'],
      inside: { segment: { read: ['text', 'startIndex', 'endIndex', 'partIndex'] } },
      ignored: { confidenceScores: 'the vendor no longer sets it' },
    },
  },
  ignored: { retrievalMetadata: 'the probability that a search helps, before the search' },
}

const SAFETY: Members = {
  read: ['blocked'],
  ignored: {
    category: WHY.filter,
    probability: WHY.filter,
    probabilityScore: WHY.filter,
    severity: WHY.filter,
    severityScore: WHY.filter,
    overwrittenThreshold: WHY.filter,
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
    content: { read: ['text'], inside: { parts: PART }, ignored: { role: WHY.role } },
    groundingMetadata: GROUNDING,
    urlContextMetadata: { inside: { urlMetadata: { read: ['retrievedUrl', 'urlRetrievalStatus'] } } },
    citationMetadata: { inside: { citations: CITATION, citationSources: CITATION } },
    safetyRatings: SAFETY,
    logprobsResult: { read: ['chosenCandidates', 'topCandidates'], ignored: { logProbabilitySum: WHY.total } },
  },
  ignored: { avgLogprobs: 'the mean of the probabilities', tokenCount: WHY.total },
}

const CHUNK: Members = {
  read: ['modelVersion', 'error'],
  inside: {
    candidates: CANDIDATE,
    usageMetadata: USAGE,
    promptFeedback: {
      read: ['blockReason'],
      ignored: { blockReasonMessage: 'the loss of the reason names it', safetyRatings: WHY.filter },
    },
  },
  ignored: {
    responseId: WHY.id,
    createTime: WHY.time,
    automaticFunctionCallingHistory: 'the package of the vendor adds it',
    sdkHttpResponse: 'the package of the vendor adds it',
  },
}

/** The members of chunks and whole answers (docs/losses.md). */
export const MEMBERS = { frame: CHUNK, body: CHUNK } as const
