/** The reasons for members of answers that are left out on purpose. */
export const WHY = {
  id: 'an id of the upstream, in place of which the gateway issues its own',
  time: 'a time, or a measure of time',
  kind: 'the kind of the object',
  role: 'the role of an answer is always the same',
  position: 'a position, which the gateway counts itself',
  padding: 'padding against the analysis of lengths',
  echo: 'repeats the request',
  total: 'a part of the totals, which are carried',
  named: 'the loss of the object around it names it',
  accounts: 'accounts of the router beside the price',
  filter: 'the classes of a content filter, whose verdict is the finish reason',
  sampling: 'a detail of the sampling that no request can use',
  place: 'the place of the quotation in its source, which another loss names',
  source: 'a detail of a source whose address is carried',
  token: 'the number of a token whose text is carried',
} as const
