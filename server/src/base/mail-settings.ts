export interface MailSettings {
  readonly target: MailTarget;
  readonly from: MailSender;
}

export interface MailSender {
  /** May be empty. */
  readonly name: string;
  readonly address: string;
}

export type MailTarget =
  /** A file for each mail, for whoever has no mail server. */
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'smtp';
      readonly host: string;
      readonly port: number;
      /** True: TLS from the first byte (`smtps://`); false: STARTTLS where the server offers it. */
      readonly isSecure: boolean;
      /** True: a mail goes only over TLS. */
      readonly needsTls: boolean;
      /** Null: none are given. The password is in this function alone, so that no log shows it. */
      readonly credentials: (() => { readonly user: string; readonly password: string }) | null;
    };
