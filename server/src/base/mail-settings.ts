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
  /** One file per mail, for installations without a mail server. */
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'smtp';
      readonly host: string;
      readonly port: number;
      /** True: TLS from the first byte (`smtps://`); false: STARTTLS if the server offers it. */
      readonly isSecure: boolean;
      /** True: mail is sent only over TLS. */
      readonly needsTls: boolean;
      /** Null: no credentials. A function, so that no log shows the password. */
      readonly credentials: (() => { readonly user: string; readonly password: string }) | null;
    };
