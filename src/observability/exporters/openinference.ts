import { writeMessages } from '../attributes.ts'
import { type Maybe, said } from '../otlp.ts'
import type { Trace } from '../trace.ts'

/** The same facts under the names of OpenInference, for receivers that do not read the OpenTelemetry conventions. */
export const openInference = (trace: Trace): readonly Maybe[] => [
  said.text('openinference.span.kind', 'LLM'),
  said.text('llm.model_name', trace.responseModel ?? trace.requestModel),
  said.text('llm.provider', trace.vendor),
  said.count('llm.token_count.prompt', trace.usage?.input_tokens ?? null),
  said.count('llm.token_count.completion', trace.usage?.output_tokens ?? null),
  said.count('llm.token_count.total', trace.usage?.total_tokens ?? null),
  ...(trace.content === null
    ? []
    : [
        said.text('input.value', writeMessages(trace.content.input)),
        said.text('output.value', writeMessages(trace.content.output)),
      ]),
]
