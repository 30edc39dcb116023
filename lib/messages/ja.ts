import type { Messages } from './en.js';

export const ja: Messages = {
  'layout.navigation': 'アカウント',
  'layout.applications': 'あなたのアプリ',
  'layout.logOut': 'ログアウト',
  'layout.loggedInAs': '{user} としてログイン中',
  'layout.refused': 'エラー：{title}',
  'layout.language': '言語',

  'login.title': 'ログイン',
  'login.username': 'ユーザー名',
  'login.password': 'パスワード',
  'login.showPassword': 'パスワードを表示',
  'login.hidePassword': 'パスワードを隠す',
  'login.submit': 'ログイン',
  'login.wrong': 'ユーザー名またはパスワードが正しくありません。',
  'login.outOfDate':
    'ページを開いてから時間がたちすぎたか、ブラウザーが Cookie を受け付けていません。もう一度ログインしてください。',
  'login.already':
    'すでに {user} としてログインしています。別のタブでログインしたのかもしれません。このフォームはその前に開かれたものなので、使われませんでした。',
  'login.continueAs': '{user} として続ける',
  'login.asSomebodyElse': '別のアカウントでログインする場合：',
  'login.toGoOn': '{client} に進むため',
  'login.forgot': 'パスワードをお忘れですか？',
  'login.signUp': 'アカウントをお持ちでない場合は新規登録',

  'logout.title': 'ログアウト',
  'logout.heading': 'ログアウトしますか？',
  'logout.loggedInAs': '{user} としてログインしています。',
  'logout.stay': 'ログインしたままにする',
  'logout.submit': 'ログアウト',
  'endSession.byClient': '{client} が、{site} からもログアウトするかどうかを尋ねています。',
  'endSession.here': '{site} からログアウトしますか？',
  'endSession.meaning':
    'このアカウントでログインしたアプリやサイトにも通知され、そちらからもログアウトされます。',
  'endSession.done': 'ログアウトしました',
  'endSession.nobody': 'ここには誰もログインしていません。',
  'endSession.telling': 'ログインしていたアプリやサイトに通知しています。',
  'endSession.back': '{client} に戻る',

  'formPost.title': '少々お待ちください',
  'formPost.message': '{client} に戻ります。',
  'formPost.goOn': '続ける',
  'account.title': 'アカウントの選択',
  'account.chooseHeading': 'どのアカウントで続けますか？',
  'account.againHeading': 'もう一度ログインしてください',
  'account.choose': '{client} が、{site} のどのアカウントを使うかを確認しています。',
  'account.again':
    '{client} が、ご本人であることを確かめるため、{site} にもう一度ログインするよう求めています。',
  'account.current': '{user} としてログインしています。',
  'account.continueAs': '{user} として続ける',
  'account.another': '別のアカウントを使う',
  'account.logInAgain': 'もう一度ログインする',
  'account.cancel': 'キャンセル',
  'account.outOfDate': 'ページが古くなっていたため、何も変更されませんでした。あらためて選んでください。',

  'openid.openid': 'ここのアカウントであなたをログインさせる',
  'openid.profile': 'あなたの名前、写真、その他のプロフィール情報を見る',
  'openid.email': 'あなたのメールアドレスを見る',
  'openid.address': 'あなたの住所を見る',
  'openid.phone': 'あなたの電話番号を見る',
  'openid.offline_access': 'あなたが利用していない間もこのアクセスを保つ',
  'claim.name': 'あなたの氏名を見る',
  'claim.family_name': 'あなたの姓を見る',
  'claim.given_name': 'あなたの名を見る',
  'claim.middle_name': 'あなたのミドルネームを見る',
  'claim.nickname': 'あなたのニックネームを見る',
  'claim.preferred_username': 'あなたが呼ばれたいユーザー名を見る',
  'claim.profile': 'あなたのプロフィールページのアドレスを見る',
  'claim.picture': 'あなたの写真を見る',
  'claim.website': 'あなたのウェブサイトのアドレスを見る',
  'claim.gender': 'あなたの性別を見る',
  'claim.birthdate': 'あなたの生年月日を見る',
  'claim.zoneinfo': 'あなたのタイムゾーンを見る',
  'claim.locale': 'あなたの言語と地域を見る',
  'claim.updated_at': 'あなたのプロフィールが最後に変更された日時を見る',
  'claim.email_verified': 'あなたのメールアドレスが確認済みかどうかを見る',
  'claim.phone_number_verified': 'あなたの電話番号が確認済みかどうかを見る',
  'claim.other': 'このサイトが「{claim}」として持つあなたの情報を見る',

  'consent.title': '{client} を許可しますか？',
  'consent.heading': '{client} があなたのアカウントの利用を求めています',
  'consent.loggedInAs': '{site} に {user} としてログインしています。',
  'consent.notYou': '別の方ですか？',
  'consent.verified': '確認済み',
  'consent.verifiedMeaning': 'このアプリの提供元は {site} が確認しています。',
  'consent.tooManyClients':
    'このサイトにとって新しく、誰も確認していないアプリを一日に許可できる数には限りがあります。何も失われていません。明日あらためて許可してください。',
  'consent.unverified': '未確認',
  'consent.unverifiedMeaning':
    'このアプリの提供元を {site} は確認していません。よく知っているアプリで、今そこから移動してきた場合だけ許可してください。',
  'consent.deviceUnverifiedMeaning':
    '{site} は、このアプリの提供者を確認していません。ご自分の機器で今このアプリを起動した場合にだけ許可してください。',
  'consent.host': 'アドレス:',
  'consent.aDevice': 'デバイス上',
  'consent.registered': 'このサイトへの登録: {date}',
  'consent.registeredBy': 'このサイトへの登録: {date}、登録者: {owner}',
  'consent.handedOver': '{date}から{owner}が所有',
  'consent.registeredItself': 'アプリ自身によるこのサイトへの登録: {date}',
  'consent.describesItself': 'アプリの自己紹介: {url}',
  'consent.onDevice':
    'この後、この端末のアプリに移ります。端末のどのアプリも {client} を名乗ることができます。ご自分で今そのアプリを起動した場合にだけ許可してください。',
  'consent.fewPeople': '利用者は{count}人未満です',
  'consent.clientUri': 'ウェブサイト',
  'consent.policyUri': 'プライバシーポリシー',
  'consent.tosUri': '利用規約',
  'consent.can': '許可すると、このアプリは次のことができます：',
  'consent.canNew': '今回新しく求めていること：',
  'consent.canAlready': '以前に許可したこと：',
  'consent.canInParticular': 'さらに、具体的には次のこと：',
  'consent.needed': '必須',
  'consent.highRisk': '損害につながるおそれがあります',
  'consent.highRiskMeaning':
    '損害につながるおそれのある項目には、あらかじめチェックが入っていません。許可したい場合だけチェックを入れてください。',
  'consent.more': 'その他',
  'consent.count': '{count, plural, other {#件の許可}}',
  'consent.includes': '次を含みます: {scope}',
  'consent.includedIn': '「{scope}」に含まれるため、ここでチェックを外しても許可されます。',
  'consent.resource': 'アクセス先は {resource} です。',
  'consent.untick': '許可したくないものはチェックを外してください。',
  'consent.identityOnly':
    '許可すると、アプリはあなたが誰か（ここでのアカウントの ID）だけを知ります。何かを見たり変更したりすることはできません。',
  'consent.cannot': '次のことはできません：',
  'consent.cannotPassword': 'パスワードを見ること、変更すること',
  'consent.cannotElse': 'ここで許可していないことをすること',
  'consent.cannotNote': '',
  'consent.deny': '拒否する',
  'consent.allow': '許可する',
  'consent.askEachTime': '毎回確認する',
  'consent.goesTo': 'どちらを選んでも {host} に移動します。',
  'consent.device': 'この端末のアプリ',
  'consent.takeBack': '許可はいつでも取り消せます。',
  'consent.takeBackLink': '許可したものを確認する',
  'consent.outOfDate': 'ページが古くなっていたため、まだ何も決まっていません。あらためて選んでください。',
  'consent.undecided': '「許可する」か「拒否する」を選んでください。',
  'consent.nothingTicked':
    '何もチェックされていないため、まだ何も決まっていません。許可するものにチェックを入れるか、拒否してください。',
  'consent.notPicked': 'まだ選ばれていないものがあるため、何も決まっていません。下を確認してください。',
  'choice.lifetime': 'どのくらいの期間アクセスを許可しますか？',
  'choice.pick': '選択してください',
  'choice.none': '制限なし',
  'choice.missing': 'いずれかを選んでください。',
  'choice.wrongNumber': '{min} から {max} までの数を入力してください。',
  'choice.nothing': '選べるものがないため、許可できません。',
  'consent.confirmTitle': '{client} を本当に許可しますか？',
  'consent.confirmHeading': '{client} に大きな権限が与えられます',
  'consent.confirmLead': '続けると、次のことができるようになります:',
  'consent.confirmMeaning':
    '知らない人や、心当たりのないメッセージに導かれてここに来ましたか？その場合は拒否してください。',
  'consent.confirm': 'それでも許可する',
  'consent.deviceHeading': 'デバイスを接続しようとしています。デバイスにこのコードが表示されていますか？',
  'consent.deviceCheck':
    'デバイスが目の前にあり、まったく同じコードが表示されている場合だけ許可してください。誰かから送られたコードの場合は拒否してください。',
  'consent.deviceAfter': 'このあとはデバイスに戻ってください。パスワードがデバイスに渡ることはありません。',

  'device.title': 'デバイスの接続',
  'device.lead': 'デバイスに表示されているコードを入力してください。',
  'device.fromLink':
    'コードはリンクに含まれていたものです。目の前のデバイスにまったく同じコードが表示されている場合だけ、次に進んでください。',
  'device.code': 'コード',
  'device.codeMeaning': 'アルファベット 8 文字です。大文字と小文字、ハイフンの有無は区別しません。',
  'device.submit': '次へ',
  'device.warning':
    'このコードは、誰かから送られたり読み上げられたりしたものですか？その場合は中止してください。デバイスを持っている人が、あなたのアカウントに入れるようになります。',
  'device.wrongCode':
    'コードが正しくないか、すでに使われたか、期限が切れています。デバイスをもう一度確認し、別のコードが表示されている場合はそれを入力してください。',
  'device.notACode':
    'コードは8文字です。入力された文字数が違います。デバイスをもう一度確認し、すべて入力してください。',
  'device.outOfDate':
    'ページを開いてから時間がたちすぎたか、ブラウザーが Cookie を受け付けていません。もう一度コードを送信してください。',
  'device.allowed': 'デバイスを接続しました',
  'device.allowedMessage':
    'デバイスに戻ってください。数秒で自動的に先へ進みます。このページは閉じてかまいません。',
  'device.later': '気が変わったら、いつでも接続を解除できます。',
  'device.laterLink': '接続中のアプリを確認する',
  'device.denied': '何も接続されていません',
  'device.deniedMessage':
    'デバイスはあなたのアカウントにアクセスできません。このページは閉じてかまいません。',

  'authorizations.title': '接続中のアプリ',
  'authorizations.lead':
    'これらのアプリはあなたのアカウントを利用できます。接続を解除すると、アクセスはただちに終わります。',
  'authorizations.none': '接続中のアプリはありません',
  'authorizations.noneMessage':
    'アプリにアカウントの利用を許可すると、ここに表示されます。許可はここで取り消せます。',
  'authorizations.search': 'アプリを探す',
  'authorizations.searchButton': '検索',
  'authorizations.showAll': 'すべて表示',
  'authorizations.sort': '並べ替え',
  'authorizations.sortRenewed': '最後の更新',
  'authorizations.sortSince': '接続が新しい順',
  'authorizations.sortName': '名前',
  'authorizations.noneFound': 'その名前のアプリは接続されていません。',
  'authorizations.count': '{count, plural, other {接続中のアプリ：#件}}',
  'authorizations.page': '{page} / {pages} ページ',
  'authorizations.previous': '前へ',
  'authorizations.next': '次へ',
  'authorizations.can': 'できること：',
  'authorizations.identityOnly':
    'あなたが誰かを知っているだけで、何かを見たり変更したりすることはできません。',
  'authorizations.since': '{date} から接続',
  'authorizations.renewed': 'アクセスの最終更新：{time}',
  'authorizations.idle': '現在アクセスはありませんが、あなたに確認せずに再び接続できます。',
  'authorizations.waiting':
    '許可したデバイスがまだアクセスを受け取っていません。今切断すれば、アクセスは与えられません。',
  'authorizations.device': 'デバイス',
  'authorizations.trusted': 'このサイトの一部',
  'authorizations.blocked': 'このサイトがブロックしているため、現在はアカウントを利用できません。',
  'authorizations.revoke': '接続を解除',
  'authorizations.revokeAll': 'すべての接続を解除…',
  'authorizations.revokeAllMeaning':
    'すべてのアプリとデバイスのアクセスがただちに終わり、再び接続するには改めてあなたの許可が必要になります。',
  'authorizations.revokeAllConfirm': 'すべて解除する',
  'authorizations.revoked': 'アプリの接続を解除し、アクセスを終了しました。',
  'authorizations.revokedAll': 'すべてのアプリの接続を解除し、アクセスを終了しました。',
  'authorizations.revokedNamed': '{client} の接続を解除し、アクセスを終了しました。',
  'authorizations.revokeMeaning':
    'アクセスはただちに終わり、再び接続するには改めてあなたの許可が必要になります。',
  'authorizations.revokeMeaningTrusted':
    'アクセスはただちに終わります。このサイトの一部なので、利用するとまたアクセスが与えられます。',
  'authorizations.revokeConfirm': '接続を解除する',
  'authorization.back': '接続中のアプリ一覧',
  'authorization.about': 'アプリについて',
  'authorization.renewedAt': 'アクセスの最終更新',
  'authorization.renewedHow':
    '最後にトークンを受け取った時刻です。その後もこのトークンで利用された可能性があります。',
  'authorization.connectedSince': '接続した日',
  'authorization.resources': 'アクセス先',
  'authorization.scopes': 'できること',
  'authorization.untick': '取り消したいもののチェックを外してください。残りは接続されたままです。',
  'authorization.includedIn': '「{scope}」がある間は、それに含まれます。',
  'authorization.save': '保存',
  'authorization.narrowed': '{client} ができることを減らしました。',
  'authorization.unchanged': '取り消されたものはありません。',
  'authorization.changeMeaning': 'ここで別のものを選べます。以後はそれが使われます。',
  'authorization.change': '変更',
  'authorization.rebound': '{client} は今後、選ばれたものを使います。',
  'authorization.kept': '変更されたものはありません。',
  'authorization.nothingLeft': '少なくとも一つはチェックを残すか、下でアプリの接続を解除してください。',
  'authorization.trustedScopes': 'このサイトの一部なので、確認なしにこれらすべてが与えられます。',
  'authorization.activity': '最近の動き',
  'authorization.activityMeaning': '過去30日間、新しい順です。',
  'authorization.noActivity': '過去30日間は何もありません。',
  'authorization.didGetAccess': 'アクセスが与えられました',
  'authorization.didGiveBack': 'アクセスを返しました',
  'authorization.didAllow': 'あなたが許可しました',
  'authorization.didDeny': 'あなたが一部を拒否しました',
  'authorization.didNarrow': 'あなたが一部を取り消しました',
  'authorization.didRebind': 'あなたが別のものを選びました',
  'authorization.didReport': 'あなたが報告しました',
  'authorization.didReplay': '一度しか使えないものが二度使われたため、アクセスを終了しました',
  'authorization.didDisconnect': 'あなたが接続を解除しました',
  'authorization.didEnd': 'サイトがアクセスを終了しました',
  'authorization.times': '{count, plural, other {#回}}',
  'authorization.from': '{address} から',
  'authorization.report': 'このアプリを報告',
  'authorization.reportMeaning':
    '予期しない動作をしたり、ほかの誰かを装ったりしていますか？お書きになった内容はこのサイトの担当者が読みます。アプリには伝わりません。',
  'authorization.reportLabel': '何がありましたか？',
  'authorization.reportSend': '報告を送る',
  'authorization.reported': 'ありがとうございます。{client} についての報告を送りました。',
  'authorization.reportEmpty': '何があったかを書いてください。',
  'authorization.reportLong': '長すぎます。{count}文字まで書けます。',
  'authorization.reportMany': '報告の回数が多すぎます。1時間後にもう一度お試しください。',
  'authorization.reportFailed': '今は報告を送れませんでした。もう一度お試しください。',
  'authorization.signedIn': 'ログイン中',
  'authorization.signedInSince': 'ログインした日時',
  'authorization.signOut': 'そこからログアウト',
  'authorization.signOutMeaning':
    'ログアウトしたことがアプリに通知され、そのログインによるアクセスは終了します。ここにはログインしたままです。',
  'authorization.signedInFrame': 'ここでログアウトすると、アプリに通知されます。',
  'authorization.signedOut': '{client} にログアウトを通知します。',
  'authorization.signInThere': 'そこにログイン',
  'authorization.disconnect': '接続の解除',
  'authorization.gone': 'このサイトにはもう登録されていません。',

  'error.client':
    'あなたの操作に問題はありません。原因はアプリにあります。アプリに戻ってもう一度お試しください。それでもうまくいかない場合は、下の詳細をアプリの提供元に伝えてください。',
  'error.site':
    'あなたの操作に問題はありません。原因はこのサイトにあります。もう一度お試しください。それでもうまくいかない場合は、下の番号をこのサイトに伝えてください。',
  'error.unknownClient': '登録されていないアプリです',
  'error.unknownClientMessage': '移動元のアプリはこのサイトに登録されていないか、削除されています。',
  'error.wrongRequest': 'アプリからの要求が正しくありません',
  'error.wrongRequestMessage': '移動元のアプリの要求を、このサイトは受け付けることができません。',
  'error.unauthorizedClientMessage': '移動元のアプリが、登録されていないことを求めました。',
  'error.invalidScopeMessage': '移動元のアプリが、存在しない権限、または持つことのできない権限を求めました。',
  'error.responseTypeMessage': '移動元のアプリが、このサイトにはない方法で接続しようとしました。',
  'error.server': '問題が発生しました',
  'error.serverMessage': 'このサイトで問題が発生しました。',
  'error.unavailable': '少し待ってからもう一度お試しください',
  'error.unavailableMessage': 'このサイトは現在応答できません。',
  'error.unavailableHint':
    'あなたの操作に問題はなく、何も失われていません。数秒後にページを再読み込みしてください。',
  'error.wrongForm': 'フォームを読み取れませんでした',
  'error.wrongFormMessage': '送られた内容がこのサイトのフォームと異なるため、何も変更されませんでした。',
  'error.wrongFormHint': '前のページに戻って再読み込みし、もう一度お試しください。',
  'error.insecure': 'このページには安全な接続が必要です',
  'error.insecureMessage':
    '送られた内容は暗号化されずに (https ではなく) 届いたため、何も処理されませんでした。',
  'error.insecureHint':
    'アドレスは https: で始まっていますか。その場合はこのサイト側の誤りです。運営者にお知らせください。',
  'error.notFound': 'ページが見つかりません',
  'error.notFoundMessage': 'ページが存在しないか、ほかの人のものです。',
  'error.notFoundHint': 'アドレスと、正しいアカウントでログインしているかを確認してください。',
  'error.conflict': '先に変更されました',
  'error.conflictMessage': '同じものが同時に変更されたため、あなたの変更は行われませんでした。',
  'error.conflictHint': '前のページに戻って再読み込みし、現在の状態を確認してください。',
  'error.tooLarge': '内容が大きすぎます',
  'error.tooLargeMessage': '送られた内容がフォームの上限を超えているため、何も変更されませんでした。',
  'error.tooLargeHint': '前のページに戻り、短くしてからもう一度お試しください。',
  'error.tooMany': '試行回数が多すぎます',
  'error.tooManyMessage': '短い時間に何度も試されました。{time}待ってから、もう一度お試しください。',
  'error.tooManyHint': '機械による総当たりから、アカウントとこのサイトを守るためです。',
  'error.requestOver': 'このリクエストは終了しています',
  'error.requestOverMessage': 'すでに回答済みか、時間が経ちすぎています。',
  'error.requestOverHint':
    'アプリケーションに戻り、もう一度そこから始めてください。あなたの操作に問題はありません。',
  'error.denied': '許可しませんでした',
  'error.deniedMessage': 'アプリはあなたのアカウントにアクセスできません。',
  'error.unknownClientLink':
    'このアプリの提供元を {site} は把握していません。よく知っているアプリの場合だけ進んでください。',
  'error.goOn': '{host} に進む',
  'error.home': '{site} へ',
  'error.redirectUriMessage':
    '「{client}」は、このサイトに登録していないアドレスへ移動させようとしています。',
  'error.redirectUri': '要求されたアドレス',
  'error.ownClient': 'これはあなたのアプリです：リダイレクト URI を変更する',
  'error.refused': 'この操作はできません',
  'error.refusedHint': '何も変更されていません。',
  'error.formOutOfDate': 'このフォームは古くなっています。ページを開き直して、もう一度操作してください。',
  'error.notDeveloper': 'あなたのアカウントでは、このサイトにアプリを登録できません。',
  'error.trustedApplication':
    'このアプリはこのサイトが保証しています。変更はサイトの運営者に依頼してください。',
  'error.blocked': 'このサイトはアプリをブロックしています',
  'error.blockedMessage': '「{client}」はここではアカウントにアクセスできないため、アプリへは移動しません。',
  'error.blockedHint':
    '何もする必要はありません。以前にアカウントへのアクセスを許可していた場合も、現在は無効です。',
  'error.blockedApplication':
    'このアプリはこのサイトによってブロックされています。サイトの運営者に問い合わせてください。',
  'error.pending': 'このアプリはまだ承認されていません',
  'error.pendingMessage':
    '「{client}」は新しいアプリです。このサイトが承認するまで、所有者だけが利用できます。',
  'error.pendingHint':
    'アカウントには影響ありません。後でもう一度試すか、アプリの提供元に問い合わせてください。',
  'error.number': 'この要求の番号：{id}',
  'error.details': '開発者向けの詳細',
  'error.code': 'エラー',
  'error.description': '説明',
  'error.detail': '原因（開発者向け）',

  'applications.title': 'あなたのアプリ',
  'applications.register': 'アプリを登録',
  'applications.none': 'アプリはまだありません',
  'applications.noneMessage':
    'アプリを登録すると、利用者が {site} のアカウントとつなげられるようになります。アプリには固有の ID が与えられ、利用者の情報を見る前に必ず許可を求めます。',
  'applications.registeredOn': '{date} 登録',
  'applications.confidential': 'コンフィデンシャル',
  'applications.public': 'パブリック',
  'applications.saved': '変更を保存しました。',
  'applications.savedWaits':
    '変更を保存しました。アプリは再び承認待ちになりました。承認されるまで、アクセスを許可できるのは所有者だけです。',
  'applications.savedUnverified':
    '変更を保存しました。アプリは確認済みではなくなりました。サイトによる再度の確認が必要です。',
  'applications.deleted': 'アプリを削除し、そのアクセスをすべて終了しました。',
  'applications.registeredBefore': 'このアプリはすでに登録されています。フォームが二度送信されました。',
  'applications.lostSecret':
    'シークレットは一度しか表示されません。お持ちでない場合は、下で新しく作成してください。',
  'applications.rotatedBefore':
    '新しいシークレットは先ほど作成されました。フォームが二度送信されたため、別のものは作成していません。お持ちでない場合は、下で新しく作成してください。',
  'applications.tooMany': 'アプリが {count} 個あり、これ以上は登録できません。不要なものを削除してください。',
  'applications.lists': 'アプリの一覧',
  'applications.all': 'すべてのアプリ',
  'applications.selfRegistered': '自己登録',
  'applications.noneHere': 'ここにアプリはありません。',
  'applications.next': 'さらに前のアプリ',
  'applications.listWaiting': '承認待ち',
  'applications.listBlocked': 'ブロック中',
  'applications.listUnverified': '未確認',
  'applications.listVerified': '確認済み',
  'applications.listUnused': '自己登録・未使用',
  'applications.previous': 'より新しいアプリ',
  'applications.search': '名前、クライアント ID、ホストで検索',
  'applications.searchAll': 'すべてのアプリを、名前、クライアント ID、ホスト、所有者の先頭の文字で検索',
  'applications.found': '{count} 件見つかりました',
  'applications.foundPart': 'この {count} 件のほかにもあります。続きを入力してください。',
  'applications.noneFound': '該当するアプリはありません。',
  'applications.first': '最新に戻る',
  'applications.users': '利用者数：{count}',
  'applications.atLeast': '{count} 以上',
  'applications.lastUsed': '最終利用：{date}',
  'applications.notUsed': '最近の利用なし',
  'applications.notUsedYet': '未使用',
  'applications.owner': '所有者：{owner}',
  'applications.noOwner': 'このサイトが登録',
  'applications.itself': '自己登録',
  'applications.verified': '確認済み',
  'applications.oldSecretEnded': '古いシークレットは無効になりました。これからは現在のものだけが使えます。',
  'applications.changedMeanwhile':
    'ページを開いた後にアプリが変更されたため、何も行われませんでした。現在の内容はこのとおりです。',
  'applications.nowVerified': 'アプリを確認済みにしました。アクセスを求めるときにそう表示されます。',
  'applications.nowUnverified': 'アプリは確認済みではなくなりました。',
  'applications.everyoneDisconnected':
    '全員の接続を切り、すべてのアクセスを終了しました。アプリは残り、改めて許可できます。',
  'applications.blocked': 'ブロック中',
  'applications.nowBlocked': 'アプリをブロックしました。今後は何も取得できません。',
  'applications.nowUnblocked': 'アプリのブロックを解除しました。これまでに許可された内容は再び有効です。',
  'applications.awaitsApproval': '承認待ち',
  'applications.nowApproved': 'アプリを承認しました。これからは誰でも利用できます。',
  'applications.deletedBefore':
    'アプリは削除されています。フォームが 2 回送信されましたが、問題はありません。',

  'application.edit': '編集',
  'application.secretNow': 'クライアントシークレットを今コピーしてください',
  'application.secretOnce':
    '表示されるのは今回だけです。サーバーに保管し、コードやアプリ、ブラウザーには入れないでください。',
  'application.details': '詳細',
  'application.clientId': 'クライアント ID',
  'application.type': '種類',
  'application.trusted': 'このサイトが保証',
  'application.redirectUris': 'リダイレクト URI',
  'application.noRedirectUris': 'なし',
  'application.mayAskFor': '求められる権限',
  'application.asksForNothing': '利用者が誰かということだけ',
  'application.getsAccessBy': 'アクセスの取得方法',
  'application.registered': '登録日時',
  'application.authorizationEndpoint': '認可エンドポイント',
  'application.tokenEndpoint': 'トークンエンドポイント',
  'application.secret': 'クライアントシークレット',
  'application.secretMade': '{time} に作成',
  'application.secretEnds': '{time} に作成、{end} まで有効',
  'application.secretCurrent': '現在のもの',
  'application.secretEnding': '末尾：{ending}',
  'application.secretUsed': '最終利用：{date}',
  'application.secretUnused': '未使用',
  'application.secretUseUnknown': '最終利用日は不明',
  'application.oldSecretUsed': '古いシークレットが最後に使われたのは {date} です。',
  'application.oldSecretUnused': '古いシークレットは一度も使われていません。',
  'application.oldSecretUnknown': '古いシークレットが最後に使われた日は不明です。',
  'application.rotateOverlap':
    '新しいシークレットが現在のものに代わります。現在のものもあと{span}使えるので、止めずに切り替えられます。',
  'application.rotateAtOnce': '新しいシークレットが、ただちに現在のものに代わります。',
  'application.rotate': '新しいシークレットを作成',
  'application.nobody': '現在の利用者はいません。',
  'application.people': '利用者は {count} 人です。',
  'application.peopleAtLeast': '利用者は少なくとも {count} 人です。',

  'failures.title': 'この 1 日に拒否されたもの',
  'failures.lead':
    'このサイトが過去 24 時間にこのアプリに対して拒否したことと、その理由です。一部は、クライアント ID を知っている人なら誰でも起こせます。',
  'failures.wrong_client_secret':
    'クライアントシークレットが違っていました。サーバーに最新のものがあるか確認してください。',
  'failures.client_secret_missing':
    'クライアントシークレットが送られていません。HTTP Basic か、本文の client_secret で送ってください。',
  'failures.wrong_authentication_method': '登録されているのとは別の方法で証明しました。',
  'failures.wrong_assertion_signature':
    'クライアントアサーションの署名が、どの鍵とも合いません。鍵、kid、アルゴリズムを確認してください。',
  'failures.assertion_expired':
    'クライアントアサーションの期限が切れていました。リクエストごとに新しく作り、時計を確認してください。',
  'failures.assertion_used':
    'クライアントアサーションはすでに使われていました。毎回別の jti を付けてください。',
  'failures.assertion_invalid':
    'クライアントアサーションのクレームが違っていました。どれかは応答に書かれています。',
  'failures.client_keys_missing':
    'クライアントアサーションを確かめる鍵がありません。鍵を登録するか、新しいシークレットを作ってください。',
  'failures.client_keys_unavailable':
    'jwks_uri から鍵を取得できませんでした。すぐに鍵セットを返すようにしてください。',
  'failures.client_certificate_missing':
    '証明書が提示されませんでした。相互 TLS でリクエストを送ってください。専用のアドレス (mtls_endpoint_aliases) があれば、そちらへ送ってください。',
  'failures.client_certificate_untrusted':
    '証明書の期限が切れているか、まだ有効でないか、ここで信頼されていない認証局のものです。証明書チェーン全体を含む新しい証明書を使ってください。',
  'failures.client_certificate_wrong':
    '登録されているものとは別の証明書です。証明書の名前を確認するか、新しい証明書を登録してください。',
  'failures.client_blocked': 'ブロックされています。このサイトの運営者に問い合わせてください。',
  'failures.client_not_approved': '承認待ちです。それまで使えるのは所有者だけです。',
  'failures.rate_limited': '回数が多すぎたか、誤りが多すぎました。Retry-After の時間だけ待ってください。',
  'failures.public_client':
    'パブリッククライアントです。送るシークレットはなく、自分自身のためのアクセスは得られません。',
  'failures.introspection_not_registered':
    'トークンの中身を問い合わせることはできません。このサイトの運営者が許可できます。',
  'failures.grant_type_unsupported': 'このサイトはその grant_type を知りません。つづりを確認してください。',
  'failures.grant_type_not_registered':
    'その grant_type には登録されていません。選べる場合は「編集」で選んでください。',
  'failures.response_type_unsupported':
    'このサイトはその response_type を提供していません。response_type=code を送ってください。',
  'failures.response_type_not_registered': 'その response_type には登録されていません。',
  'failures.response_mode_unsupported': 'response_mode が response_type に合いません。送らないでください。',
  'failures.redirect_uri_missing':
    'リダイレクト URI が複数あるのに、送られていません。使うものを redirect_uri で送ってください。',
  'failures.redirect_uri_mismatch':
    'redirect_uri が上のどれとも違います。最後の 1 文字まで同じでなければなりません。',
  'failures.redirect_uri_not_registered': 'リダイレクト URI がありません。「編集」で追加してください。',
  'failures.signing_required':
    'リクエストに署名がありませんでした。署名が必要です。リクエストオブジェクト (RFC 9101) として送ってください。',
  'failures.request_object_invalid':
    'リクエストオブジェクトの署名、時刻、または内容に誤りがありました。どれかはエラーに示されています。',
  'failures.request_uri_unusable':
    'request_uri からリクエストオブジェクトを取得できませんでした。登録されていないか、応答がないか、別の内容が返されました。どれかはエラーに示されています。',
  'failures.dpop_proof_missing': '鍵の証明 (DPoP) がありませんでした。すべてのリクエストに付けてください。',
  'failures.dpop_proof_invalid':
    '鍵の証明 (DPoP) の署名、時刻、またはその中のアドレスに誤りがありました。どれかはエラーに示されています。',
  'failures.key_mismatch':
    'トークンまたはコードが、証明に使われたものとは別の鍵に結び付けられていました。要求したときの鍵を使ってください。',
  'failures.request_too_large':
    'リクエストが長すぎました。state を短くするか、求める権限を減らしてください。',
  'failures.parameter_missing': 'パラメーターが足りません。どれかは応答に書かれています。',
  'failures.parameter_malformed':
    'パラメーターが重複しているか、ただのテキストではありません。どれかは応答に書かれています。',
  'failures.parameter_unsupported':
    'このサイトが対応していないパラメーターがあります。応答に書かれているものを送らないでください。',
  'failures.pushing_required':
    'リクエストは、先にプッシュ型認可リクエストのエンドポイントへ送る必要があります。',
  'failures.prompt_invalid': 'prompt の none に別の値が付いていました。none だけを送ってください。',
  'failures.login_required':
    '誰もログインしていないか、その人がこのアプリケーションにまだ何も許可しておらず、prompt=none では誰にも尋ねられません。それを付けずにもう一度求めてください。',
  'failures.consent_required':
    'その人はまだ許可しておらず、prompt=none では誰にも尋ねられません。それを付けずにもう一度求めてください。',
  'failures.denied_by_user': '利用者が断りました。求めるものを減らし、何のためかを先に伝えてください。',
  'failures.pkce_missing':
    'code_challenge が送られていません。code_challenge_method=S256 で PKCE を使ってください。',
  'failures.pkce_method_unsupported': 'code_challenge_method は S256 でなければなりません。',
  'failures.pkce_malformed': 'code_challenge が SHA-256 ハッシュの base64url 形式ではありません。',
  'failures.pkce_mismatch':
    'code_verifier が code_challenge に合いません。コードを引き換えるまで、リクエストと一緒に保管してください。',
  'failures.scope_malformed':
    'scope が空か、使えない文字を含んでいました。スコープの間は空白 1 つにしてください。',
  'failures.scope_unknown': 'そのスコープはありません。つづりを確認してください。',
  'failures.scope_not_registered':
    'そのスコープを求めることはできません。選べる場合は「編集」で選んでください。',
  'failures.scope_not_granted':
    '更新のときに、許可されていないスコープを求めました。scope は送らないでください。',
  'failures.resource_missing': 'どのリソースのためのものかを resource で指定する必要があります。',
  'failures.resource_unknown': 'このサイトはその resource を知りません。',
  'failures.resource_not_granted':
    'その resource は許可されていません。認可リクエストの時点で指定してください。',
  'failures.resource_ambiguous':
    '複数のリソースが許可されていますが、トークンは 1 つのためのものです。resource で指定してください。',
  'failures.resource_without_scopes': 'その resource に属するスコープがありません。',
  'failures.authorization_details_invalid':
    'authorization_details の形式が誤っているか、ここでは知られていない型か、フィールドが欠けているか、未知のフィールドがあります。',
  'failures.authorization_details_not_registered': 'この authorization_details の型に登録されていません。',
  'failures.authorization_details_not_granted':
    'authorization_details が許可された範囲を超えています。許可されたものを求めるか、送らないでください。',
  'failures.code_unknown':
    'そのコードはないか、ずっと前になくなりました。すぐに、そのまま引き換えてください。',
  'failures.code_expired': 'コードの期限が切れていました。すぐに引き換えてください。',
  'failures.code_used':
    'コードが 2 度引き換えられ、そのアクセスは終わりました。コードの引き換えは 1 度だけにしてください。',
  'failures.code_revoked': 'そのコードのアクセスは、本人が終わらせていました。もう一度許可を求めてください。',
  'failures.code_of_other_client':
    'コードは別のアプリのものでした。サーバーが使っているクライアント ID を確認してください。',
  'failures.code_redirect_uri_mismatch':
    'redirect_uri が認可リクエストのものと違います。コードと一緒に同じものを送ってください。',
  'failures.refresh_token_unknown':
    'そのリフレッシュトークンはないか、ずっと前になくなりました。もう一度許可を求めてください。',
  'failures.refresh_token_expired':
    'リフレッシュトークンの期限が切れていました。もう一度許可を求めてください。',
  'failures.refresh_token_reused':
    'リフレッシュトークンが 2 度使われ、アクセスは終わりました。毎回新しいものを保存し、更新は同時に 1 つだけにしてください。',
  'failures.refresh_token_revoked': 'アクセスは終わっていました。もう一度許可を求めてください。',
  'failures.access_ended': 'アクセスの期間が終わっていました。その人にもう一度許可してもらってください。',
  'failures.choice_lost':
    'その人が選んだものは、もうその人のものではありません（脱退したワークスペースなど）。もう一度許可してもらってください。',
  'failures.device_code_unknown':
    'そのデバイスコードはないか、別のアプリのものです。最初からやり直してください。',
  'failures.device_code_expired':
    '誰かが許可する前に、デバイスコードの期限が切れました。最初からやり直してください。',
  'failures.device_code_used':
    'デバイスコードが 2 度使われ、そのアクセスは終わりました。トークンを得たら問い合わせをやめてください。',
  'failures.device_code_revoked': 'デバイスのアクセスは終わっていました。最初からやり直してください。',
  'failures.token_of_other_client':
    'トークンは別のアプリのものでした。サーバーが使っているクライアント ID を確認してください。',
  'failures.token_not_revocable': 'このトークンは取り消せません。発行から数分で自動的に期限が切れます。',
  'failures.wrong_password': 'ユーザー名かパスワードが違っていました。',
  'failures.refused_by_policy':
    'このサイトの規則により拒否されました。サイトが明かす範囲で、応答に理由があります。',
  'failures.too_many_grants': 'このアプリは同時に持てる許可の上限に達しています。',
  'failures.other': '別の理由で拒否されました。詳しくは応答に書かれています。',

  'application.disconnect': '全員の接続を切る',
  'application.disconnectMeaning':
    'シークレットやトークンが漏れた場合に使います。すべてのアクセスがただちに終了し、アプリは残ります。先に新しいシークレットを作成してください。',
  'application.disconnectTokens':
    'トークンが漏れた場合に使います。すべてのアクセスがただちに終了し、アプリは残ります。',
  'application.disconnectButton': '全員の接続を切る…',
  'application.disconnectHeading': '{client} から全員の接続を切りますか？',
  'application.disconnectLead':
    'アプリ自身のものも含め、すべてのトークンがただちに無効になり、許可の記録も消えます。利用するには改めて許可が必要です。元に戻すことはできません。',
  'application.delete': 'このアプリを削除',
  'application.deleteMeaning': '利用者全員の接続がただちに切れます。元に戻すことはできません。',
  'application.deleteButton': '削除…',
  'application.deleteHeading': '{client} を削除しますか？',
  'application.deleteLead':
    '利用者全員の接続がただちに切れます。トークンは無効になり、許可の記録も消えます。元に戻すことはできません。',
  'application.keep': '残す',
  'application.deleteConfirm': '削除する',
  'application.copy': 'コピー',
  'application.copied': 'コピーしました',
  'application.copyByHand': '選択しました。キーボードかメニューでコピーしてください',
  'application.users': '利用者数',
  'application.lastUsed': '最終利用',
  'application.owner': '所有者',
  'application.authentication': '認証の方法',
  'application.bySecret': 'クライアントシークレット',
  'application.byKeys': '公開鍵',
  'application.byCertificate': '証明書',
  'application.byNothing': 'なし（パブリック）',
  'application.keys': '鍵',
  'application.keysHere': '署名は次の公開鍵で検証されます：',
  'application.keysThere': '署名は {address} にある公開鍵で検証されます。',
  'application.keysChange': '変更するにはアプリを編集してください。',
  'application.endOld': '古いシークレットを今すぐ無効にする',
  'application.endOldMeaning':
    'すべてが現在のシークレットを使うようになったら、古いものを無効にしてください。まだ使っているものはすぐに拒否されます。',
  'application.try': '試す',
  'application.tryMeaning':
    'このアプリの許可画面を、利用者と同じように、求めることのできるすべての項目とともに表示します。許可するとご自身のアカウントに接続され、後で接続を切ることができます。',
  'application.tryOpen': '許可画面を新しいタブで開く',
  'application.tryBack':
    'その後ブラウザーは {uri} に移動し、URL にコードが付きます。アプリ自身が求めたものではないため拒否されますが、それで正常です。URL からコードをコピーしてください。動作中のアプリがそこから別のページに移動させる場合は、一時的に停止してください。',
  'application.tryRedeem':
    '{span}以内に次のコマンドでコードをトークンに引き換えられます。このページのリンクと対になっており、再読み込みするとどちらも新しくなります。',
  'application.tryStepByStep': '手順に沿って試す',
  'application.code': 'コピーして使えるコード',
  'application.codeMeaning':
    'このアプリの値が入っています。シークレットは含まれず、環境変数から読み込みます。',
  'application.verification': '確認',
  'application.isVerified':
    'このサイトは、このアプリの提供元を把握していると示しています。アクセスを求めるときに確認済みと表示されます。所有者が名前、リダイレクト URI、鍵、説明を変更するか、求められる権限やアクセスの取得方法を増やすか、別のホストのページやロゴを指定すると、確認済みではなくなります。ほかの人が所有者になったときも同じです。',
  'application.isUnverified':
    'アクセスを求めるときに、提供元が確認されていないと表示されます。提供元を知っていて、名前とリダイレクト URI がその提供元のものである場合に、確認済みにしてください。',
  'application.isSelfRegistered':
    'このアプリは自ら登録しました。名前をはじめ、アプリが述べることはすべて自己申告です。確認済みになると、自分で登録内容を変更できなくなります。',
  'application.verify': '確認済みにする',
  'application.unverify': '確認を取り消す',
  'application.changedSince': 'このサイトが前回調べた後に変更されたもの：',
  'application.isBlocked': 'このサイトはこのアプリをブロックしています。',
  'application.blockedSince': '{time} 以降は何も取得できません。',
  'application.blockedFor': '理由：',
  'application.blockedHint':
    'これまでに許可された内容は保持されます。ブロックの解除、変更、削除ができるのはサイトの運営者だけです。',
  'application.block': 'このアプリをブロック',
  'application.blockMeaning':
    'その時点から何も取得できなくなり、トークンは使えなくなります。これまでに許可された内容は保持されるので、元に戻すことができます。',
  'application.blockReason': '理由（任意）',
  'application.blockReasonHint': 'アプリの所有者に表示されます。',
  'application.blockButton': 'ブロック',
  'application.blockedHeading': 'ブロック中',
  'application.unblockMeaning': 'ブロックを解除すると、これまでに許可された内容がすべて再び有効になります。',
  'application.unblock': 'ブロックを解除',
  'application.awaitsApproval': '承認待ち',
  'application.approveMeaning':
    '承認するまで、アクセスを許可できるのは所有者だけです。先に名前、リダイレクト URI、求められる権限、アクセスの取得方法を確かめてください。',
  'application.approve': '承認する',
  'application.awaitsApprovalHint':
    'このアプリはサイトの運営者による承認を待っています。それまでは、試すためにあなただけがアクセスを許可できます。',
  'application.deleteType': '確認のため、アプリの名前を入力してください：{client}',
  'application.deleteTypeOr': 'クライアント ID でもかまいません：{id}',
  'application.deleteMismatch': 'アプリの名前と一致しないため、何も削除されませんでした。',

  'owners.title': '所有者',
  'owners.meaning':
    '所有者は全員、ここですべてのことができます。アプリの変更、新しいシークレットの作成、アプリの削除などです。',
  'owners.you': 'あなた',
  'owners.remove': '外す…',
  'owners.leave': '所有者をやめる…',
  'owners.invited': '招待中',
  'owners.waits': '{date}まで承諾できます',
  'owners.waitsToTake': '{date}まで引き継げます',
  'owners.withdraw': '取り消す',
  'owners.invite': '招待する',
  'owners.person': 'ユーザー名またはメールアドレス',
  'owners.personMeaning':
    'その人がこのサイトにいるかどうかは表示されません。いる場合は、本人のアプリのページに招待が表示され、7日以内に承諾できます。',
  'owners.as': '招待の内容',
  'owners.asOwner': '所有者を追加する',
  'owners.asTransfer': '自分の代わりに所有者にする',
  'owners.asTransferMeaning':
    '承諾された時点で、あなたは所有者ではなくなります。ほかの所有者はそのままです。',
  'owners.verifiedEnds':
    'このアプリはサイトの確認を受けていますが、承諾されると確認は終わり、改めて確認が必要になります。',
  'owners.approvalEnds':
    '承諾されると、アプリは再び承認待ちになります。承認されるまで、アクセスを許可できるのは所有者だけです。',
  'owners.inviteButton': '招待',
  'owners.missing': '招待する人を入力してください。',
  'owners.tooLong': '200文字を超えています。',
  'owners.already': 'この人はすでに所有者です。',
  'owners.tooManyOwners': 'このアプリの所有者は上限に達しています。',
  'owners.tooManyInvitations': 'すでに5件の招待が返事待ちです。1件を取り消すか、返事をお待ちください。',
  'owners.tooManyApplications':
    'アプリの数が上限に達しています。先にどれかの所有者をやめるか、削除してください。',
  'owners.nowInvited': 'その人がこのサイトにいれば、本人のアプリのページに招待が表示されます。',
  'owners.nowWithdrawn': '招待を取り消しました。',
  'owners.nowAccepted': 'このアプリの所有者になりました。',
  'owners.nowDeclined': '招待を断りました。',
  'owners.nowRemoved':
    '所有者を外しました。その人がアプリのシークレットを知っている場合は、新しいシークレットを作成してください。',
  'owners.nowLeft': 'アプリの所有者ではなくなりました。',
  'owners.last': 'ほかに所有者がいません。アプリを引き継いでもらうか、削除してください。',
  'owners.gone': 'この招待はもうありません。',
  'owners.invitations': '招待',
  'owners.toJoin': '所有者になるよう招待されています。',
  'owners.toTake': 'このアプリを引き継ぐよう招待されています。',
  'owners.askedBy': '招待した人: {person}。',
  'owners.until': '{date}まで承諾できます。',
  'owners.joinHeading': '{client}の所有者になりますか？',
  'owners.takeHeading': '{client}を引き継ぎますか？',
  'owners.acceptMeaning':
    '所有者はアプリの動作に責任を負います。アプリと、招待した人の両方を知っている場合にだけ承諾してください。',
  'owners.accept': '承諾する',
  'owners.decline': '断る',
  'owners.removeHeading': '{person}を{client}から外しますか？',
  'owners.removeMeaning': 'この人はアプリを見ることも変更することもできなくなります。',
  'owners.removeSecret': 'シークレットを知っている場合は、その後に新しいものを作成してください。',
  'owners.removeConfirm': '外す',
  'owners.leaveHeading': '{client}の所有者をやめますか？',
  'owners.leaveMeaning': 'ほかの所有者から再び招待されない限り、見ることも変更することもできなくなります。',
  'owners.leaveConfirm': 'やめる',

  'form.edit': '{client} を編集',
  'form.notSaved': 'まだ保存されていません。',
  'form.pleaseLook': '次の点を確認してください：',
  'form.name': '名前',
  'form.nameMeaning': 'アプリがアクセスを求めるときに利用者に表示されます。',
  'form.kind': 'どの種類のアプリですか',
  'form.technical': '技術的な設定',
  'form.kind.web': 'ウェブアプリ',
  'form.kind.web.meaning': 'サーバー上で動作します',
  'form.kind.browser': 'ブラウザーアプリ',
  'form.kind.browser.meaning': 'サーバーなしでページ内で動作します',
  'form.kind.native': 'モバイル・デスクトップアプリ',
  'form.kind.native.meaning': '利用者の端末で動作します',
  'form.kind.device': '機器',
  'form.kind.device.meaning': 'ブラウザーがなく、コードを別の場所で入力します',
  'form.kind.service': 'サービス',
  'form.kind.service.meaning': '利用者なしで自身として動作します',
  'application.asksNothing': 'まだ何も求められません',
  'application.asksNothingMeaning':
    'このアプリには権限が一つも選択されていないため、利用者は何も許可できません。編集して、求められるものを選択してください。',
  'form.type': '種類',
  'form.confidential': 'コンフィデンシャル',
  'form.confidentialMeaning':
    'ご自分のサーバーで動き、そこに秘密を保管できるアプリです。クライアントシークレットが与えられます。',
  'form.public': 'パブリック',
  'form.publicMeaning':
    '利用者の端末でアプリとして、またはブラウザーで動き、秘密を保管できないアプリです。シークレットは与えられません。',
  'form.redirectUris': 'リダイレクト URI',
  'form.redirectUrisMeaning':
    '利用者の戻り先です。1 行に 1 つ、完全な形で書いてください：{web}。アプリの場合は {loopback}（ポートは任意）や {scheme} も使えます。',
  'form.scopes': '利用者に求められる権限',
  'form.grantTypes': 'アクセスの取得方法',
  'form.register': '登録する',
  'form.save': '変更を保存',
  'form.cancel': 'キャンセル',
  'form.outOfDate':
    'このページは長く開かれていたため、まだ何も保存されていません。入力した内容は残っています。確認して、もう一度送信してください。',
  'form.loggedOut': 'ログインが切れました',
  'form.loggedOutLead':
    'まだ何も保存されていませんが、失われてもいません。入力した内容はこのページで待っています。',
  'form.loggedOutLink': '別のタブでログインする',
  'form.loggedOutAfter': 'そのあとこのタブに戻り、もう一度送信してください。保存の前にすべてを確認できます。',
  'form.sendAgain': 'もう一度送信する',
  'form.line': '{line} 行目',
  'form.authentication': 'アプリであることの証明方法',
  'form.bySecret': 'クライアントシークレット',
  'form.bySecretMeaning': 'ここで作られ、一度だけ表示される、長くランダムなパスワードです。',
  'form.byKeys': 'ここに入力する鍵',
  'form.byKeysMeaning':
    'アプリは自分の秘密鍵で署名し（private_key_jwt）、ここには公開鍵を入力します。秘密のものは何も保存されません。',
  'form.byKeysAddress': 'URL にある鍵',
  'form.byKeysAddressMeaning':
    '同じ方法ですが、公開鍵はあなたのサーバーに置き（jwks_uri）、いつでも変更できます。',
  'form.jwks': '公開鍵',
  'form.jwksMeaning': 'JSON の鍵セット：{example}。秘密鍵は決して入力しないでください。',
  'form.jwksUri': '公開鍵の URL',
  'form.jwksUriMeaning': '例：{example}。アプリがトークンを求めるときに読み込まれます。',
  'form.newSecretMeaning':
    'これまで鍵を使っていた場合は、新しいシークレットが作られ、次のページに一度だけ表示されます。',
  'form.about': 'アプリについての追加情報',
  'form.aboutMeaning':
    'すべて任意です。ページとロゴは、リダイレクト URI と同じホストにあるとき、またはこのサイトがアプリを確認した後に、利用者に表示されます。',
  'form.aboutVerified':
    'このアプリは確認済みです。名前、リダイレクト URI、アプリであることの証明方法、説明を変更するか、求められる権限やアクセスの取得方法を増やすか、別のホストにあるページやロゴを指定すると、再度の確認が必要になります。',
  'form.approvalEnds':
    '名前、リダイレクト URI、アプリであることの証明方法、説明を変更するか、求められる権限やアクセスの取得方法を増やすか、別のホストにあるページやロゴを指定すると、このアプリは再び承認待ちになります。承認されるまで、アクセスを許可できるのは所有者だけです。',
  'form.description': '説明',
  'form.descriptionMeaning': '用途を 1、2 文で書いてください。アプリが確認された後に利用者に表示されます。',
  'form.logoUri': 'ロゴ',
  'form.logoUriMeaning': '正方形の画像の URL（例：{example}）。',
  'form.pageMeaning': '例：{example}',

  'grantType.authorization_code': '利用者にアクセスを求める',
  'grantType.authorization_code.meaning':
    '利用者はアプリからここに来て許可し、アプリに戻ります。ほとんどのアプリに必要な方法です。',
  'grantType.refresh_token': '接続の維持',
  'grantType.refresh_token.meaning': '利用者が離れたあとも、取り消されるまでアプリはアクセスを保ちます。',
  'grantType.client_credentials': 'アプリ自身としての動作',
  'grantType.client_credentials.meaning':
    '利用者なしで、アプリ自身がアクセスを得ます。コンフィデンシャルなアプリだけが使えます。',
  'grantType.implicit': 'コードなしで利用者にアクセスを求める（旧方式）',
  'grantType.implicit.meaning':
    'ほかの方法が使えないアプリのための旧方式です。トークンがブラウザーのアドレスバーを通ります。',
  'grantType.password': 'パスワードの入力（旧方式）',
  'grantType.password.meaning':
    'ほかの方法が使えないアプリのための旧方式です。アプリが利用者のパスワードを見ることになります。',
  'grantType.urn:ietf:params:oauth:grant-type:device_code': 'デバイスの接続',
  'grantType.urn:ietf:params:oauth:grant-type:device_code.meaning':
    'テレビ、プリンター、コマンドラインのためのものです。利用者が別の端末で短いコードを入力し、そこで許可します。',

  'problem.nameMissing': 'アプリには名前が必要です。',
  'problem.nameTooLong': '名前が {max} 文字を超えています。',
  'problem.nameInvisible': '名前に見えない文字や制御文字が含まれています。',
  'problem.nameMarks': '名前の 1 文字に付いている記号が多すぎます。',
  'problem.namePicture': '名前に絵文字やチェックマークなどの記号が含まれています。',
  'problem.nameSentence': '名前に文が含まれています。名前だけにしてください。',
  'problem.nameScripts': '名前の中に、異なる文字体系の文字が混ざった単語があります。',
  'problem.nameReserved':
    'この名前は {name} と間違われるおそれがあります。紛らわしくない名前を選んでください。',
  'problem.nameBadge': '「{word}」はこのサイトがアプリについて示す言葉なので、名前には使えません。',
  'problem.descriptionTooLong': '説明が {max} 文字を超えています。',
  'problem.descriptionInvisible': '説明に見えない文字や制御文字が含まれています。',
  'problem.typeUnknown': '種類はコンフィデンシャルかパブリックのどちらかです。',
  'problem.publicCredentials':
    'パブリックなアプリは、自分を証明するものがないため、アプリ自身として動作することはできません。',
  'problem.redirectUriMissing':
    'https://app.example/callback のようなリダイレクト URI が少なくとも 1 つ必要です。',
  'problem.redirectUriTooMany': 'リダイレクト URI が {max} 個を超えています。',
  'problem.uriTooLong': '{max} 文字を超えています。',
  'problem.uriCharacters': '空白など、パーセントエンコードが必要な文字が含まれています。',
  'problem.uriWildcard':
    '* が含まれています。リダイレクト URI は完全一致で比較され、ワイルドカードは使えません。1 つずつ入力してください。',
  'problem.uriNotAbsolute': 'https://app.example/callback のような完全な URI ではありません。',
  'problem.uriFragment': 'フラグメント（#…）が含まれています。リダイレクト URI には使えません。',
  'problem.uriScheme': '{scheme} の URI は使えません。',
  'problem.uriUserinfo': 'ホストの前にユーザー名かパスワードが含まれています。',
  'problem.uriHttp':
    'TLS なしで使えるのは localhost、127.0.0.1、[::1] だけです。ほかのホストには https: を使ってください。',
  'problem.uriPrivateScheme': 'アプリ独自のスキームには com.example.app:/callback のようにドットが必要です。',
  'problem.uriQuery': 'クエリに {parameter} が含まれています。これは応答の側で付け加えられます。',
  'problem.pageNotAbsolute': 'https://app.example/about のような完全な URL ではありません。',
  'problem.pageScheme': 'URL は https:// で始まる必要があります。',
  'problem.scopeUnknown': '{scope} という権限はありません。',
  'problem.grantTypeUnknown': 'グラントタイプ {grantType} はここでは使えません。',
  'problem.grantTypeMissing': 'アクセスの方法を少なくとも 1 つ選んでください。',
  'problem.authenticationUnknown': 'アプリであることの証明方法を選んでください。',
  'problem.jwksMissing': '公開鍵を入力してください。',
  'problem.jwksNoJson': '鍵が正しい JSON ではありません。',
  'problem.jwksNoSet': '鍵セットではありません。{"keys": [ … ]} の形で入力してください（RFC 7517）。',
  'problem.jwksCount': '鍵が {count} 個あります。1 個から {max} 個まで登録できます。',
  'problem.jwksTooLong': '鍵が {max} 文字を超えています。',
  'problem.jwksNoObject': 'JSON オブジェクトではない鍵があります。',
  'problem.jwksPrivate':
    'これは所有者だけが持つべき秘密鍵です。もう使わずに新しい鍵を作り、その公開鍵を入力してください。',
  'problem.jwksMembers':
    '鍵に、RFC 7517 と RFC 7518 の定めと異なる種類の値、またはオブジェクトである値があります。',
  'problem.jwksKind': '種類（kty）が RSA、EC、OKP のどれでもない鍵があります。',
  'problem.jwksRsaSize': 'RSA 鍵が 2048 ビット未満か 8192 ビットを超えています。',
  'problem.jwksUriMissing': '公開鍵の URL を入力してください。',
  'problem.jwksUriNotUrl': '鍵の場所が URL ではありません。',
  'problem.jwksUriParts': '鍵の URL にユーザー名、パスワード、フラグメントのいずれかが含まれています。',
  'problem.jwksUriScheme': '鍵の URL は https:// で始まる必要があります。',

  'snippet.secret': 'CLIENT_SECRET は環境変数から読み込みます',
  'snippet.key': 'CLIENT_PRIVATE_KEY は環境変数から読み込みます（PKCS #8 の PEM）',
  'snippet.certificate':
    'CLIENT_CERTIFICATE と CLIENT_KEY は環境変数から読み込みます（証明書とその鍵の PEM ファイルのパス）',
  'snippet.assertion': 'CLIENT_ASSERTION は環境変数から読み込みます（アプリが署名した JWT、RFC 7523）',
  'snippet.open': 'この URL をブラウザーで開きます',
  'snippet.paste': 'ブラウザーがリダイレクト URI に戻ったら、そこからコードをコピーします',
  'snippet.begin': '利用者をこの URL に移動させ、残りの 2 つはセッションに保存します',
  'snippet.finish': '利用者が戻ってきた URL 全体を渡します',
};
