import { EVENT_TABLE, type EventSpec } from '../../src/conformance/event-table.ts'
import { EVENT_SCHEMAS } from '../../src/conformance/item-schemas.ts'
import type { DialectEvents } from '../../src/conformance/state.ts'

/** Internal events, before a dialect writes them: all events, with all their fields. */
export const OWN_EVENTS: DialectEvents = {
  columns: Object.fromEntries(
    Object.entries<EventSpec>(EVENT_TABLE).map(([type, { columns }]) => [
      type,
      columns.includes('output_index') ? ['response_id', ...columns] : columns,
    ]),
  ),
  shapes: EVENT_SCHEMAS,
}
