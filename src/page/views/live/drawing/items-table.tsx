import type { AnswerRecord } from '../answer/answer-record.ts'
import { titleOfLane } from './answer-text.ts'
import { showDuration } from './time-axis.ts'

/** The lanes as a table: the same content for readers that see no canvas. */
export function ItemsTable({ record }: { readonly record: AnswerRecord }) {
  return (
    <details class="live-table">
      <summary>Items as a table</summary>
      <table>
        <thead>
          <tr>
            {['Item', 'Status', 'Began', 'Duration', 'Deltas', 'Characters', 'Citations'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {record.lanes.map((lane) => (
            <tr key={lane.position}>
              <th scope="row">{titleOfLane(lane)}</th>
              <td>{lane.status.replace('_', ' ')}</td>
              <td>{showDuration(lane.began)}</td>
              <td>{lane.ended === null ? 'open' : showDuration(lane.ended - lane.began)}</td>
              <td>{lane.ticks.length - lane.citationCount}</td>
              <td>{lane.size}</td>
              <td>{lane.citationCount}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
