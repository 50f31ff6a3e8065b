import type { Members } from '../../shared/upstream/answers/members.ts'
import { WHY } from '../../shared/upstream/answers/reasons.ts'

const TOKEN: Members = { read: ['token', 'logprob', 'bytes', 'top_logprobs'] }

const LINE: Members = {
  read: ['model', 'done', 'done_reason', 'error', 'prompt_eval_count', 'eval_count', 'response', 'thinking'],
  inside: {
    message: {
      read: ['content', 'thinking', 'images'],
      inside: {
        tool_calls: {
          read: ['id', 'name', 'arguments'],
          inside: { function: { read: ['id', 'name', 'arguments'], ignored: { index: WHY.position } } },
          ignored: { type: WHY.kind, index: WHY.position },
        },
      },
      ignored: { role: WHY.role, tool_name: 'only results of tools in requests have it' },
    },
    logprobs: TOKEN,
  },
  ignored: {
    created_at: WHY.time,
    total_duration: WHY.time,
    load_duration: WHY.time,
    prompt_eval_duration: WHY.time,
    eval_duration: WHY.time,
    remote_model: 'the name of the model at the host behind the upstream',
    remote_host: 'the host behind the upstream',
  },
}

/** The members of lines and whole answers (docs/losses.md). */
export const MEMBERS = { frame: LINE, body: LINE } as const
