/** Who graded: an external grading service, or the shop itself (specification 2.3, Grade). */
export type ServiceKind = 'third_party' | 'internal';

/** A grade of a card, third-party (shared by all shops) or a shop's own condition rank (specification 2.3). */
export interface Grade {
  readonly id: string;
  readonly code: string;
  /** The display name. */
  readonly label: string;
  readonly serviceCode: string;
  readonly serviceName: string;
  readonly serviceKind: ServiceKind;
}
