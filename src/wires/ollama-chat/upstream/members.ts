import type { Members } from '../../shared/upstream/answers/members.ts'

const TOKEN: Members = { read: ['token', 'logprob', 'bytes', 'top_logprobs'] }

const LINE: Members = {
  read: ['model', 'done', 'done_reason', 'error', 'prompt_eval_count', 'eval_count', 'response', 'thinking'],
  inside: {
    message: {
      read: ['content', 'thinking', 'images'],
      inside: {
        tool_calls: {
          read: ['id', 'name', 'arguments'],
          inside: { function: { read: ['id', 'name', 'arguments'], ignored: { position: ['index'] } } },
          ignored: { kind: ['type'], position: ['index'] },
        },
      },
      ignored: { role: ['role'], unrequested: ['tool_name'] },
    },
    logprobs: TOKEN,
  },
  ignored: {
    time: ['created_at', 'total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration'],
    host: ['remote_model', 'remote_host'],
  },
}

/** The members of lines and whole answers (docs/losses.md). */
export const MEMBERS = { frame: LINE, body: LINE } as const
